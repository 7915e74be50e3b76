{# What the questions' terms say of one more column of the rows. One column after another: a
   statement that joins them all leaves it to the engine to join what is asked with itself first.
   grain: one row per question, term and fact that may satisfy it as far as the columns go that were
       looked at
   in: before (narrow, or the table of the columns before), c (facet), rest (facets that are still
       to come), begun (whether there were columns before), chances_<index>, first and last (of the
       questions' numbers), aggregated (index or none), pivot (index or none), separate (whether the
       pivot's own condition is left to its buckets), number (type of the aggregated column's
       numbers), table
   out: table <table>(question, term, fact, n, chance, inside, total, unit, least, greatest, mass
       and told (the number of its released value) of the aggregated column, c<index> … of the rest)
       #}
CREATE TABLE {{ table | ident }} AS
SELECT
    x.question, x.term, f.fact, f.n
    {{ rest | each(', f.c#') }}
    , {% if begun %}f.chance * {% endif %}x.share AS chance
{% for kind in ('inside', 'total') %}
    , {% if begun %}f.{{ kind | ident }}
        * {% endif %}{% if separate and c.index == pivot %}CASE
        WHEN f.c{{ c.index | integer }} < -1 THEN 1
        ELSE x.{{ kind | ident }} END{% else %}x.{{ kind | ident }}{% endif %} AS {{ kind | ident }}
{% endfor %}
    , {% if c.index == pivot %}CASE
        WHEN f.c{{ c.index | integer }} < -1 THEN f.c{{ c.index | integer }}
        ELSE 0 END{% elif begun %}f.unit{% else %}CAST(0 AS BIGINT){% endif %} AS unit
{% if aggregated %}
    {% for kind in ('least', 'greatest') %}
    , {% if c.index == aggregated %}x.{{ kind | ident }}{% elif begun %}f.{{ kind | ident }}
        {% else %}CAST(NULL AS {{ number | sql_type }}){% endif %} AS {{ kind | ident }}
    {% endfor %}
    , {% if c.index == aggregated %}f.c{{ c.index | integer }}{% elif begun %}f.told
        {% else %}CAST(0 AS BIGINT){% endif %} AS told
    , {% if c.index == aggregated %}x.mass{% if begun %} * f.mass{% endif %}{% elif begun %}f.mass
        * x.share{% else %}x.share{% endif %} AS mass
{% endif %}
FROM {{ before | ident }} AS f
JOIN chances_{{ c.index | integer }} AS x
    ON x.value = f.c{{ c.index | integer }}
{% if begun %}
    AND x.question = f.question
    AND x.term = f.term
{% else %}
    AND x.question BETWEEN {{ first | integer }} AND {{ last | integer }}
{% endif %}
