{# Values as they are released.
   out: macros #}

{# A column that is kept as it is; of one that is replaced, what it is replaced for.
   in: r (released column); s is the source
   out: an expression #}
{% macro kept(r) %}
{% if not r.replaced and r.column.type != r.type %}
CAST(s.{{ r.column.name | ident }} AS {{ r.type | sql_type }})
{%- else %}
s.{{ r.column.name | ident }}
{%- endif %}
{% endmacro %}

{# What a column is replaced by. Surrogates count the values from 1, in an order that only a secret
   salt knows; NULL, and a value of masked rows alone, has none.
   in: r (released column), value (a reference to what is replaced), present (a reference that is
       NULL in masked rows; none where no rows are masked), fresh_salt
   out: an expression #}
{% macro replacement(r, value, present) %}
{% if r.replaced == 'surrogate' %}
CASE
    WHEN {{ value | ident }} IS NOT NULL
        {% if present %}
        AND {{ present | ident }} IS NOT NULL
        {% endif %}
    THEN CAST(DENSE_RANK() OVER (
        ORDER BY
            {% if present %}
            CASE WHEN {{ present | ident }} IS NOT NULL THEN
            {% endif %}
            MD5((SELECT z.salt FROM fresh_salt AS z)
                || {{ ('value ' ~ r.position ~ ' ') | literal }}
                || CAST({{ value | ident }} AS VARCHAR))
            {% if present %}
            END
            {% endif %}
            NULLS LAST
    ) AS BIGINT)
END
{%- elif r.replaced == 'null' and r.column.type != r.type %}
CAST(CASE WHEN FALSE THEN {{ value | ident }} END AS {{ r.type | sql_type }})
{%- elif r.replaced == 'null' %}
CASE WHEN FALSE THEN {{ value | ident }} END
{%- else %}
'*'
{%- endif %}
{% endmacro %}
