{# A value of an ordered column as a number: of a date or time in days, NULL for what no distance
   can be measured to.
   in: a (coded column), value (a reference to it)
   out: an expression #}
{% if a.column.kind == 'date' %}CAST(DATE_DIFF('day', DATE '2000-01-01',
    {{ value | ident }}) AS DOUBLE)
{%- elif a.column.kind == 'timestamp' %}CAST(DATE_DIFF('day', DATE '2000-01-01',
    CAST({{ value | ident }} AS DATE)) AS DOUBLE)
    + CAST(EXTRACT(HOUR FROM {{ value | ident }}) * 3600 + EXTRACT(MINUTE FROM {{ value | ident }})
        * 60 + EXTRACT(SECOND FROM {{ value | ident }}) AS DOUBLE) / 86400
{%- elif a.column.kind == 'float' %}CASE
    WHEN {{ value | ident }} BETWEEN -1e300 AND 1e300 THEN CAST({{ value | ident }} AS DOUBLE) END
{%- else %}CAST({{ value | ident }} AS DOUBLE){% endif %}
