{# The cells of the next round's parts: both sides of the cuts, and what cannot be cut.
   grain: one row per cell
   in: lines, cuts, attributes, after (the greatest number of a part so far), table
   out: table <table>(id, part, n, stuck: whether no cut was found, y<i>) #}
CREATE TABLE {{ table | ident }} AS
SELECT
    l.id,
    CASE
        WHEN c.part IS NULL THEN l.part
        WHEN l.stretch <= c.stretch THEN {{ after | integer }} + 2 * c.rank - 1
        ELSE {{ after | integer }} + 2 * c.rank
    END AS part,
    l.n,
    CASE WHEN c.part IS NULL THEN 1 ELSE 0 END AS stuck
    {{ attributes | each(', l.y#') }}
FROM lines AS l
LEFT JOIN cuts AS c ON c.part = l.part
