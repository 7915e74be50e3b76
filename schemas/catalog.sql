-- The control plane: what ran, what it cost, what was published. No value of any source is kept here.
-- The schema `lattice` beside these tables holds the nodes, edges and verdicts of the last search.
CREATE TABLE IF NOT EXISTS runs (
    run INTEGER PRIMARY KEY,
    command VARCHAR NOT NULL,
    version VARCHAR NOT NULL,
    started TIMESTAMPTZ NOT NULL,
    ended TIMESTAMPTZ,
    status VARCHAR NOT NULL
);
ALTER TABLE runs ADD COLUMN IF NOT EXISTS source VARCHAR;
ALTER TABLE runs ADD COLUMN IF NOT EXISTS release VARCHAR;
ALTER TABLE runs ADD COLUMN IF NOT EXISTS error VARCHAR;
ALTER TABLE runs ADD COLUMN IF NOT EXISTS account VARCHAR; -- of the operating system, that ran it
-- of runs that published: the report, what it was made from, and the state of all files of that (JSON)
ALTER TABLE runs ADD COLUMN IF NOT EXISTS report VARCHAR;
ALTER TABLE runs ADD COLUMN IF NOT EXISTS made_from VARCHAR;
ALTER TABLE runs ADD COLUMN IF NOT EXISTS files VARCHAR;
CREATE TABLE IF NOT EXISTS statements (
    run INTEGER NOT NULL,
    number INTEGER NOT NULL,
    plane VARCHAR NOT NULL,
    name VARCHAR NOT NULL,
    rows BIGINT NOT NULL,
    milliseconds DOUBLE NOT NULL
);
CREATE TABLE IF NOT EXISTS releases (
    run INTEGER NOT NULL,
    database VARCHAR NOT NULL,
    table_name VARCHAR NOT NULL,
    published TIMESTAMPTZ NOT NULL,
    column_name VARCHAR NOT NULL,
    level INTEGER
);
ALTER TABLE releases ADD COLUMN IF NOT EXISTS hierarchy VARCHAR; -- a digest of the column's hierarchy
ALTER TABLE releases ALTER COLUMN level DROP NOT NULL; -- a method without levels has none
DROP TABLE IF EXISTS class_sizes; -- of versions that went on with a search that was killed
-- the lattice as the last search saw it. levels: by column, of a subset of the columns where the algorithm looks at such;
-- rule: checked, or how its verdict follows: generalization (of a node that satisfies), specialization (of one that does
-- not), subset (its levels on fewer columns do not); implied_by: the node it follows from; smallest_class: of the released
-- ones; loss: of the levels, as if no row were suppressed; ms: a statement's time, shared among its nodes
CREATE TABLE IF NOT EXISTS nodes (
    run INTEGER NOT NULL,
    node INTEGER NOT NULL,
    levels MAP(VARCHAR, INTEGER) NOT NULL,
    height INTEGER NOT NULL,
    satisfied BOOLEAN NOT NULL,
    rule VARCHAR NOT NULL,
    implied_by INTEGER,
    classes BIGINT,
    smallest_class BIGINT,
    suppressed BIGINT,
    loss DOUBLE NOT NULL,
    ms DOUBLE
);
-- the ledger of a policy with privacy.over_time: which rows were ever released, and which of them alike.
-- key: HMAC-SHA-256 of the row's name, by the ledger's own secret; trace: the same number for rows that were
-- released in the same classes, or absent, in every release so far; released: whether the last release has the row;
-- codes: HMAC-SHA-256 of its values in the columns that promises are about. The next state is written before a
-- release is published, and takes the place of the present one when it is.
CREATE TABLE IF NOT EXISTS ledgers (
    secret VARCHAR NOT NULL,
    key_column VARCHAR NOT NULL,
    coded_columns VARCHAR[] NOT NULL,
    anew BOOLEAN NOT NULL
);
CREATE TABLE IF NOT EXISTS statistics_secret (secret VARCHAR NOT NULL); -- of the keys of cells
-- the statistics of a policy with protect.over_time that were published; each has a table statistics_<number>:
-- of every cell its name (a hash of levels and labels), true values, and which were hidden
CREATE TABLE IF NOT EXISTS statistics_releases (
    number INTEGER NOT NULL,
    settings VARCHAR NOT NULL,
    columns VARCHAR NOT NULL,
    release_id VARCHAR
);
ALTER TABLE statistics_releases ADD COLUMN IF NOT EXISTS release_id VARCHAR; -- those made earlier lack it
CREATE TABLE IF NOT EXISTS statistics_spending ( -- differential privacy of statistics that were published
    run INTEGER NOT NULL,
    source VARCHAR NOT NULL,
    rho VARCHAR NOT NULL,
    epsilon VARCHAR NOT NULL,
    delta VARCHAR NOT NULL
);
CREATE TABLE IF NOT EXISTS ledger_releases (
    number INTEGER NOT NULL,
    release_id VARCHAR NOT NULL,
    run INTEGER NOT NULL,
    made TIMESTAMPTZ NOT NULL,
    settled BOOLEAN NOT NULL,
    k BIGINT NOT NULL,
    promises VARCHAR NOT NULL,
    levels VARCHAR NOT NULL,
    columns VARCHAR NOT NULL,
    released BIGINT NOT NULL,
    held_back BIGINT NOT NULL,
    gone BIGINT NOT NULL,
    exposed BIGINT NOT NULL,
    smallest BIGINT NOT NULL
);
