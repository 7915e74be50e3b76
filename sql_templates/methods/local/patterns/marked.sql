{# The source's rows, each with what is withheld of it: the cells that are sensitive to it. Where a
   flag is NULL nobody knows, and the cell is withheld. Everything else is made from this one scan.
   grain: one row per source row
   in: source, attributes, conditions {index: for whom the attribute is sensitive}, kept (columns
       that are released as they are), bucketized (columns whose sensitive values are released in
       buckets)
   out: table marked(q1 … qn: NULL where withheld, w<index> and u<index> of the semi-sensitive ones:
       1 where withheld, and where nobody knows, k1 …: the kept columns, s<index> of the bucketized
       ones, lent: 0, see methods/local/patterns/lent) #}
CREATE TABLE marked AS
SELECT
{% for a in attributes %}
    {% if a.index in conditions %}
    CASE WHEN NOT {{ conditions[a.index] | condition('s') }} THEN {{ a | value('s') }} END AS q#,
    CASE WHEN NOT {{ conditions[a.index] | condition('s') }} THEN 0 ELSE 1 END AS w#,
    CASE WHEN {{ conditions[a.index] | condition('s') }} IS NULL THEN 1 ELSE 0 END AS u#,
    {% else %}
    {{ a | value('s') }} AS q#,
    {% endif %}
{% endfor %}
{% for column in kept %}
    {% if column.type != column.released_type %}
    CAST(s.{{ column.name | ident }} AS {{ column.released_type | sql_type }})
    {% else %}
    s.{{ column.name | ident }}
    {% endif %}
    AS k{{ loop.index | integer }},
{% endfor %}
    {{ bucketized | each('@(s) AS s#,') }}
    0 AS lent
FROM {{ source | ident }} AS s
