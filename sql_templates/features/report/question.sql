{# A question for `anonsql query` about the original columns of a release, for a person to try.
   in: table, least (columns of numbers with a number that they are to reach), equal (columns with a
       value that they are to have) #}
SELECT COUNT(*) FROM {{ table | ident }}
{% for name, value in least %}
{% if loop.first %}WHERE{% else %}AND{% endif %} {{ name | ident }} >= {{ value | number }}
{% endfor %}
{% for name, value in equal %}
{% set begins = loop.first and not least %}
{% if begins %}WHERE{% else %}AND{% endif %} {{ name | ident }} = {{ value | literal }}
{% endfor %}
