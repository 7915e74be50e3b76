{# The released values of all columns with labels, numbered within each column. Types differ: a
   column's values stand in a column that those of its type share, and the others are NULL there.
   grain: one row per column and label with its bounds
   in: into, table (released rows), labeled (completed columns), labels, ends [(columns of one type,
       by index; one of them, and for ends its bounds)]
   out: table into(position: the index of the column, value: a number from 1, n: rows, key1, key2,
       key3: the texts by which rows find it, label1 …: see labels, lo1, hi1 …: see ends) #}
CREATE TABLE {{ into | ident }} AS
{% for c in labeled %}
SELECT
    {{ c.index | integer }} AS position,
    ROW_NUMBER() OVER (ORDER BY {{ c.parts | listed('k.key$ NULLS FIRST') }}) AS value,
    {{ labels | each('k.label$,') }}
    {{ ends | each('k.lo$, k.hi$,') }}
    {{ c.parts | each('k.key$,') }}
    {% for number in [2, 3] if not c.held.lo %}
    CAST('' AS VARCHAR) AS {{ ('key' ~ number) | ident }},
    {% endfor %}
    k.n
FROM (
    SELECT
        {% for indices, other in labels %}
        {% if c.index in indices %}r.{{ c.name | ident }}
        {%- else %}MIN(CASE WHEN 1 = 0 THEN r.{{ other | ident }} END)
        {%- endif %} AS {{ ('label' ~ loop.index) | ident }},
        {% endfor %}
        {% for indices, lo, hi in ends %}
        {% if c.index in indices %}r.{{ c.held.lo.name | ident }}
        {%- else %}MIN(CASE WHEN 1 = 0 THEN r.{{ lo | ident }} END)
        {%- endif %} AS {{ ('lo' ~ loop.index) | ident }},
        {% if c.index in indices %}r.{{ c.held.hi.name | ident }}
        {%- else %}MIN(CASE WHEN 1 = 0 THEN r.{{ hi | ident }} END)
        {%- endif %} AS {{ ('hi' ~ loop.index) | ident }},
        {% endfor %}
        {{ c.parts | each("COALESCE('=' || CAST(r.@ AS VARCHAR), '') AS key$,") }}
        COUNT(*) AS n
    FROM {{ table | ident }} AS r
    {% if c.held.bucketed %}
    WHERE r.{{ c.held.bucketed.key | ident }} IS NULL
    {% endif %}
    GROUP BY {{ c.parts | each("r.@, COALESCE('=' || CAST(r.@ AS VARCHAR), '')", ', ') }}
) AS k
{% if not loop.last %}
UNION ALL
{% endif %}
{% endfor %}
