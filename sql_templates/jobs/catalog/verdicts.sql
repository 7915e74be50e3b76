{# grain: one row per candidate of a pass; class sizes only where it was checked #}
CREATE TABLE lattice.verdicts (
    size INTEGER, id INTEGER, satisfied BOOLEAN, checked BOOLEAN, classes BIGINT, min_class BIGINT,
        suppressed BIGINT
)
