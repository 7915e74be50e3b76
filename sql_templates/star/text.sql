{# The text of a quasi-identifying value, the same on every engine: numbers with fractions by as
   many decimals as they need, where twelve are enough.
   in: a (attribute), value (a reference)
   out: an expression #}
{% set through_text = a.column.kind == 'float' %}
{% if through_text or a.column.unbounded %}
CASE
    WHEN {{ value | ident }} BETWEEN -1000000000000000 AND 1000000000000000
    THEN CASE
        WHEN CAST(CAST(CAST(
            {% if through_text %}CAST({{ value | ident }} AS VARCHAR)
            {% else %}{{ value | ident }}{% endif %}
            AS DECIMAL(34, 12)) AS VARCHAR) AS {{ a.column.type | sql_type }}) = {{ value | ident }}
        THEN RTRIM(RTRIM(CAST(CAST(
            {% if through_text %}CAST({{ value | ident }} AS VARCHAR)
            {% else %}{{ value | ident }}{% endif %}
            AS DECIMAL(34, 12)) AS VARCHAR), '0'), '.')
        ELSE CAST({{ value | ident }} AS VARCHAR)
    END
    ELSE CAST({{ value | ident }} AS VARCHAR)
END
{%- else %}CAST({{ value | ident }} AS VARCHAR){% endif %}