{# The values that labels drew and that neither lie between the label's bounds nor are its own text
   nor a leaf that the release says it covers nor, where the label is a set, one of its elements as
   they are written: these are read one by one. A * that stands for any value is none of them. A set
   with quotes is not taken apart here: what is quoted may look like several elements. Types differ:
   see completion/labels.
   grain: one row per column, label with its bounds, and value
   in: labeled (completed columns), labels, ends (see completion/labels), values [(columns of one
       type, by index; one of these)], drawn (a table, see completion/drawn), starred (the columns,
       by index, whose * is any value), covered (the table of the release that says what labels
       cover, or none), trees (the columns, by index, whose labels it has), completed_labels,
       completed_tokens
   out: (position, value1 …, label1 …, lo1, hi1 …) #}
{% macro apart(c) %}
{% if c.held.form == 'set' %}
(REPLACE(l.key1, '"', '') <> l.key1
    OR REPLACE(CAST(d.value AS VARCHAR), ',', '') <> CAST(d.value AS VARCHAR)
    OR COALESCE(CAST(d.value AS VARCHAR), 'NULL') = 'NULL'
    OR REPLACE(
        REPLACE(REPLACE(l.key1, '={', ', '), '}', ','), ', ' || CAST(d.value AS VARCHAR) || ',', ''
    ) = REPLACE(REPLACE(l.key1, '={', ', '), '}', ','))
{% else %}1 = 1{% endif %}
{% endmacro %}
{% for c in labeled %}
SELECT DISTINCT
    {{ c.index | integer }} AS position
    {{ values | each(', d.value$') }}
    {{ labels | each(', l.label$') }}
    {{ ends | each(', l.lo$, l.hi$') }}
FROM (
    SELECT DISTINCT
        {% for indices, other in values %}
        {% if c.index in indices %}{{ c | sql('p.v#') }}
        {%- else %}CASE WHEN 1 = 0 THEN p.v{{ other | integer }} END
        {%- endif %} AS {{ ('value' ~ loop.index) | ident }},
        {% endfor %}
        {{ c | sql('p.v# AS value, p.t# AS token') }}
    FROM {{ drawn | ident }} AS p
    {% if c.bucketed %}
    WHERE {{ c | sql('p.g#') }} IS NULL
    {% endif %}
) AS d
JOIN completed_tokens AS t ON t.token = d.token AND t.position = {{ c.index | integer }}
JOIN completed_labels AS l ON l.value = t.value AND l.position = {{ c.index | integer }}
{% if c.index in trees %}
LEFT JOIN (
    SELECT DISTINCT h.label, h.leaf
    FROM {{ covered | ident }} AS h
    WHERE h.column_name = {{ c.name | literal }} AND h.level > 0
) AS p ON p.leaf = d.value AND '=' || p.label = l.key1
{% endif %}
WHERE
    {% if c.index in starred %}
    l.key1 <> '=*' AND
    {% endif %}
    {% if c.index in trees %}
    p.leaf IS NULL AND
    {% endif %}
    {% if c.held.lo %}
    {% for some, first in ends %}
    {% if c.index in some %}
    (CASE WHEN d.value >= l.lo{{ loop.index | integer }} AND d.value < l.hi{{ loop.index | integer }}
        THEN 1 ELSE 0 END = 0
        OR SUBSTR(l.key1, 1, 2) = '={' AND {{ apart(c) }})
    {% endif %}
    {% endfor %}
    {% else %}
    COALESCE('=' || CAST(d.value AS VARCHAR), '') <> l.key1 AND {{ apart(c) }}
    {% endif %}
{% if not loop.last %}
UNION ALL
{% endif %}
{% endfor %}
