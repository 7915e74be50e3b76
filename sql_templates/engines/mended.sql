{# The source as the policy reads it: blanks around values of text removed, values that mean that none
   is known as NULL, text in one case. Values of text are compared byte by byte.
   grain: one row per row of the source
   in: source, blanks, mended (its columns: name, cast, column, trim, missing: values of its type,
       case, digits, changes)
   out: its columns #}
{# A value without blanks around it, if these are removed.
   in: c (of mended); t is the source
   out: an expression #}
{% macro bare(c) -%}
{% if c.trim %}TRIM({% endif -%}
{% if c.cast %}CAST({% endif %}t.{{ c.name | ident }}
{%- if c.cast %} AS {{ c.cast | sql_type }}){% endif %}
{%- if c.trim %}, {{ blanks | literal }}){% endif %}
{%- endmacro %}
{# A value in the column's type.
   in: c (of mended), v
   out: an expression #}
{% macro typed(c, v) -%}
{% if c.column.kind in ('float', 'date', 'timestamp') -%}
CAST({{ v | literal }} AS {{ (c.cast or c.column.type) | sql_type }})
{%- else %}{{ v | literal }}{% endif %}
{%- endmacro %}
SELECT
{% for c in mended %}
    {% if not c.changes %}
    t.{{ c.name | ident }}
    {% else %}
    {% if c.digits %}CAST({% endif %}
    {% if c.case == 'lower' %}LOWER({% elif c.case == 'upper' %}UPPER({% endif %}
    {% if c.missing %}
    CASE
        WHEN {{ bare(c) }}{% if c.column.kind == 'text' %} COLLATE "C"{% endif %} IN (
            {% for v in c.missing %}{{ typed(c, v) }}{% if not loop.last %}, {% endif %}{% endfor %}
        ) THEN NULL
        ELSE {{ bare(c) }}
    END
    {% else %}
    {{ bare(c) }}
    {% endif %}
    {% if c.case %}){% endif %}
    {% if c.digits %} AS {{ c.digits | sql_type }}){% endif %}
    {% endif %}
    AS {{ c.name | ident }}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ source | ident }} AS t
