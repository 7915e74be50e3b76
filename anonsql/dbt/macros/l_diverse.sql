{# The classes of a release that have fewer than l different values of a sensitive column, NULL being
   one; none means that it is distinct l-diverse.

   columns: what others may know, by the names that the table has
   sensitive: a column
   l: values, at least 1 #}
{% test l_diverse(model, columns, sensitive, l) %}
{%- do anonsql.require_number('l', l) -%}
{%- set names = anonsql.quoted(columns) | join(', ') -%}
{%- set value = adapter.quote(sensitive) -%}
select {{ names }}, count(*) as values_in_class
from (select distinct {{ names }}, {{ value }} from {{ model }}) as distinct_rows
group by {{ names }}
having count(*) < {{ l }}
{% endtest %}
