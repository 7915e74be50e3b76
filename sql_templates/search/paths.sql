{# The path of each code: see anonsql/search/paths.
   grain: one row per attribute and code
   in: dim_<index>, attributes, keys, digits
   out: table code_paths(attribute, code, keys: the bits of the code's path in each key) #}
CREATE TABLE code_paths AS
{% for a in attributes %}
SELECT
    # AS attribute,
    d.code
{% for key in keys %}
    , CAST(0 AS BIGINT)
    {% for digit in digits if (digit.attribute.index, digit.key) == (a.index, key) %}
    {% if digit.bits %}
        + CAST(DENSE_RANK() OVER (
            {% if digit.level < a.max_level %}
            PARTITION BY d.g{{ (digit.level + 1) | integer }}
            {% endif %}
            ORDER BY d.g{{ digit.level | integer }} NULLS FIRST
        ) - 1 AS BIGINT) * CAST({{ digit.factor | integer }} AS BIGINT)
    {% endif %}
    {% endfor %}
        AS {{ key | ident }}
{% endfor %}
FROM dim_# AS d
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
