{# Rows whose values lie in a class of less loss than that of theirs.
   grain: one row per draw and row
   in: into, drawn (a table that completion/drawn makes), labeled, patterns [columns that have one value
       in the classes of the pattern], completed_classes(pattern, loss, t<index>: token, a<index>:
       atom), completed_within(position, token, first, past: atoms)
   out: table into(draw, hash) #}
CREATE TABLE {{ into | ident }} AS
SELECT s.draw, s.hash
FROM (
    {% for exact in patterns %}
    SELECT d.draw, d.hash
    FROM {{ drawn | ident }} AS d
    JOIN completed_classes AS c
        ON c.pattern = {{ loop.index0 | integer }}
        {{ exact | each('AND c.a# = d.a#') }}
        AND c.loss < d.loss
    {% for c in labeled if c not in exact %}
    JOIN completed_within AS {{ ('w' ~ c.index) | ident }}
        ON {{ c | sql('w#.position = # AND w#.token = c.t#') }}
        AND {{ c | sql('w#.first <= d.a# AND w#.past > d.a#') }}
    {% endfor %}
    {% if not loop.last %}
    UNION ALL
    {% endif %}
    {% endfor %}
) AS s
GROUP BY s.draw, s.hash
