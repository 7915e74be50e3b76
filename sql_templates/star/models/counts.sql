{# The part of a promise that plain counts tell: k rows or people, distinct l, k-map,
   delta-presence. A least presence is everybody's of the population: groups of people who are
   certainly absent break it.
   grain: one row per combination of the keys that has rows of the table, or, with a least presence,
       of the population
   in: see star/models/classes
   out: a SELECT of (keys, n, ok) #}
SELECT
    {{ keys | idents('f') }},
    CAST(SUM(f.n) AS BIGINT) AS n,
    {% if promise.people %}COUNT(DISTINCT f.{{ ('x' ~ promise.people) | ident }})
        {% else %}SUM(f.n){% endif %} >= {{ promise.k | integer }}
    {% for model in promise.of_kind('distinct') %}
    AND COUNT(DISTINCT f.{{ ('x' ~ model.index) | ident }}) >= {{ model.bound | number }}
    {% endfor %}
    {% for model in promise.of_kind('k_map') %}
    AND SUM(f.p) >= {{ model.bound | number }}
    {% endfor %}
    {% for model in promise.of_kind('presence') %}
    AND CAST(SUM(f.n) AS BIGINT) BETWEEN {{ model.other | number }} * CAST(SUM(f.p) AS BIGINT)
        AND {{ model.bound | number }} * CAST(SUM(f.p) AS BIGINT)
    {% endfor %}
    AS ok
FROM {{ table | ident }} AS f
GROUP BY {{ keys | idents('f') }}
{% if not promise.of_everybody %}
HAVING SUM(f.n) > 0
{% endif %}
