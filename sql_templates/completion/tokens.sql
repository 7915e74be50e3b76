{# What the rows of a release are looked up by, of its first draw.
   grain: one row per released row
   in: drawn (a table, see completion/drawn), columns (completed columns), placing, joint (see
       there)
   out: for each column: (its value where it is kept, the token of its label, or NULL; its bucket or
        group, or NULL); the size of its class, or NULL; the number of its combination, or NULL #}
SELECT
    {% for c in columns %}
    {% if c.held.kept %}{{ c | sql('p.k#') }}{% elif c.labeled %}{{ c | sql('p.t#') }}
        {%- else %}NULL{% endif %} AS {{ ('x' ~ c.index) | ident }},
    {% if c.bucketed %}{{ c | sql('p.g#') }}{% else %}NULL{% endif %}
        AS {{ ('y' ~ c.index) | ident }},
    {% endfor %}
    {% if placing %}p.size{% else %}NULL{% endif %} AS size,
    {% if joint %}p.combination{% else %}NULL{% endif %} AS combination
FROM {{ drawn | ident }} AS p
WHERE p.draw = 1
ORDER BY p.hash
