{# The completed table: what labels drew, what is kept, and the values of buckets dealt to their
   rows in the order of the rows' hashes, so that each bucket keeps its totals.
   grain: one row per draw and released row
   in: drawn (a table), shown, buckets (completed columns), draw (the name of the draw's number),
       completed_bucket_<index>
   out: draw, and the shown columns #}
SELECT
    q.draw AS {{ draw | ident }}
    {% for c in shown %}
    ,
    {% if c.bucketed and c.labeled %}
    {{ c | sql('CASE WHEN q.g# IS NULL THEN q.v# ELSE b#.value END AS @') }}
    {% elif c.bucketed %}
    {{ c | sql('b#.value AS @') }}
    {% elif c.labeled %}
    {{ c | sql('q.v# AS @') }}
    {% else %}
    {{ c | sql('q.k# AS @') }}
    {% endif %}
    {% endfor %}
FROM (
    SELECT
        p.*
        {% for c in buckets %}
        , ROW_NUMBER() OVER (
            PARTITION BY {{ c | sql('p.draw, p.g#') }}
            ORDER BY MD5(p.hash || '.' || {{ c.name | literal }}) COLLATE "C" NULLS FIRST
        ) - 1 AS {{ ('n' ~ c.index) | ident }}
        {% endfor %}
    FROM {{ drawn | ident }} AS p
) AS q
{% for c in buckets %}
LEFT JOIN {{ ('completed_bucket_' ~ c.index) | ident }} AS {{ ('b' ~ c.index) | ident }}
    ON {{ c | sql('b#.grp = q.g# AND q.n# >= b#.first AND q.n# < b#.past') }}
{% endfor %}
