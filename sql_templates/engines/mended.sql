{# The source as the policy reads it: blanks around values of text removed, values that mean that none
   is known as NULL, text in one case. Values of text are compared byte by byte.
   grain: one row per row of the source
   in: source, blanks, mended (its columns: name, cast, column, trim, missing: values of its type,
       case, digits, changes)
   out: its columns #}
{# A value without blanks around it, if these are removed.
   in: c (of mended), case (lower, upper, or none: as it is); t is the source
   out: an expression #}
{% macro bare(c, case=none) -%}
{% if case == 'lower' %}LOWER({% elif case == 'upper' %}UPPER({% endif -%}
{% if c.trim %}TRIM({% endif -%}
{% if c.cast %}CAST({% endif %}t.{{ c.name | ident }}
{%- if c.cast %} AS {{ c.cast | sql_type }}){% endif %}
{%- if c.trim %}, {{ blanks | literal }}){% endif %}
{%- if case %}){% endif %}
{%- endmacro %}
{# A value in the column's type.
   in: c (of mended), v, case (as of bare)
   out: an expression #}
{% macro typed(c, v, case=none) -%}
{% if case == 'lower' %}LOWER({{ v | literal }}){% elif case == 'upper' %}UPPER({{ v | literal }})
{%- elif c.column.kind in ('float', 'date', 'timestamp') -%}
CAST({{ v | literal }} AS {{ (c.cast or c.column.type) | sql_type }})
{%- else %}{{ v | literal }}{% endif %}
{%- endmacro %}
SELECT
{% for c in mended %}
    {% if not c.changes %}
    t.{{ c.name | ident }}
    {% else %}
    {% if c.digits %}CAST({% endif %}
    {% if c.missing %}
    CASE
        {% for case in ([none, c.case] if c.case else [none]) %}
        WHEN {{ bare(c, case) }}{% if c.column.kind == 'text' %} COLLATE "C"{% endif %} IN (
            {% for v in c.missing %}
            {{ typed(c, v, case) }}{% if not loop.last %}, {% endif %}
            {% endfor %}
        ) THEN NULL
        {% endfor %}
        ELSE {{ bare(c, c.case) }}
    END
    {% else %}
    {{ bare(c, c.case) }}
    {% endif %}
    {% if c.digits %} AS {{ c.digits | sql_type }}){% endif %}
    {% endif %}
    AS {{ c.name | ident }}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM {{ source | ident }} AS t
