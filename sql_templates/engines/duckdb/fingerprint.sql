{# What a table holds, in numbers of this engine's own: another content has other numbers.
   grain: one row
   in: relation, columns
   out: rows, then a sum of hashes for each column, and one for whole rows #}
SELECT
    COUNT(*)
{% for column in columns %}
    , SUM(CAST(HASH({% if column.exact %}s.{{ column.name | ident }}
        {% else %}CAST(s.{{ column.name | ident }} AS VARCHAR){% endif %}) AS HUGEINT))
{% endfor %}
    , SUM(CAST(HASH({% for column in columns %}{% if column.exact %}s.{{ column.name | ident }}
        {% else %}CAST(s.{{ column.name | ident }} AS VARCHAR){% endif %}
        {% if not loop.last %}, {% endif %}{% endfor %}) AS HUGEINT))
FROM {{ relation | ident }} AS s
