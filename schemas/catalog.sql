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
    level INTEGER NOT NULL
);
