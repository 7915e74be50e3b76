{# The values that labels drew and that neither lie between the label's bounds nor are its own text
   nor a leaf that the release says it covers: these are read one by one, and so are those of sets
   of intervals or periods, which may have gaps. A * that stands for any value is none of them.
   Types differ: see completion/labels.
   grain: one row per column, label with its bounds, and value
   in: labeled (completed columns), labels, ends (see completion/labels), values [(columns of one
       type, by index; one of these)], drawn (a table, see completion/drawn), starred (the columns,
       by index, whose * is any value), covered (the table of the release that says what labels
       cover, or none), trees (the columns, by index, whose labels it has), completed_labels,
       completed_tokens
   out: (position, value1 …, label1 …, lo1, hi1 …) #}
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
        OR SUBSTR(l.key1, 1, 2) = '={' AND (l.key1 LIKE '%"[%' OR l.key1 LIKE '%<%' OR l.key1 LIKE '%>=%'
        {%- if c.domain.kind == 'timestamp' %} OR l.key1 NOT LIKE '=_____-__-__ %'
        {%- elif c.domain.moments %} OR l.key1 NOT LIKE '=_____-__-__%'
        {%- endif %}))
    {% endif %}
    {% endfor %}
    {% else %}
    COALESCE('=' || CAST(d.value AS VARCHAR), '') <> l.key1
    {% endif %}
{% if not loop.last %}
UNION ALL
{% endif %}
{% endfor %}
