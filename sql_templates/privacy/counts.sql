{# The part of a promise that plain counts tell: k rows or people, and what models ask of counts. A
   least presence is everybody's of the population: groups of people who are certainly absent break
   it.
   grain: one row per combination of the keys that has rows of the table, or, with a least presence,
       of the population
   in: see privacy/classes
   out: a SELECT of (keys, n, ok); the criteria see f, the rows of a class with n, the population's
       p and a code x<index> for each column #}
SELECT
    {{ keys | idents('f') }},
    CAST(SUM(f.n) AS BIGINT) AS n,
    {% if promise.people %}COUNT(DISTINCT f.{{ ('x' ~ promise.people) | ident }})
        {% else %}SUM(f.n){% endif %} >= {{ promise.k | integer }}
    {% for model in promise.over('counts') %}
    AND {% include model.kept +%}
    {% endfor %}
    AS ok
FROM {{ table | ident }} AS f
GROUP BY {{ keys | idents('f') }}
{% if not promise.of_everybody %}
HAVING SUM(f.n) > 0
{% endif %}
