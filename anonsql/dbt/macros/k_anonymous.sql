{# The classes of a release that have fewer than k rows; none means that it is k-anonymous.

   columns: what others may know, by the names that the table has
   k: rows, at least 1
   suppressed: `mask` where the release keeps suppressed rows as `*` in all columns: those are no
       class; `remove`, the default, where it leaves them out #}
{% test k_anonymous(model, columns, k, suppressed='remove') %}
{{ anonsql.small_classes(model, columns, k, suppressed) }}
{% endtest %}


{% macro small_classes(relation, columns, k, suppressed='remove') %}
{%- do anonsql.require_number('k', k) -%}
{%- if execute and suppressed not in ('remove', 'mask') -%}
    {%- do exceptions.raise_compiler_error(
        "suppressed: " ~ suppressed ~ " is neither `remove` nor `mask`.") -%}
{%- endif -%}
{%- set names = anonsql.quoted(columns) -%}
select {{ names | join(', ') }}, count(*) as rows_in_class
from {{ relation }}
{%- if suppressed == 'mask' %}
where not ({% for name in names %}coalesce({{ name }}, '') = '*'
    {%- if not loop.last %} and {% endif %}{% endfor %})
{%- endif %}
group by {{ names | join(', ') }}
having count(*) < {{ k }}
{% endmacro %}


{# Raise an error where an argument is no whole number from 1 on. #}
{% macro require_number(name, value) %}
{%- if execute and (value is not integer or value is boolean or value < 1) -%}
    {%- do exceptions.raise_compiler_error(
        name ~ ": " ~ value ~ " is no whole number from 1 on.") -%}
{%- endif -%}
{% endmacro %}


{# The columns as the database quotes them, in a list. #}
{% macro quoted(columns) %}
{%- if execute and (columns is string or columns is mapping or not columns) -%}
    {%- do exceptions.raise_compiler_error("columns: a list of one or more is needed.") -%}
{%- endif -%}
{%- set names = [] -%}
{%- for column in columns -%}{%- do names.append(adapter.quote(column)) -%}{%- endfor -%}
{%- do return(names) -%}
{% endmacro %}
