{# Combinations numbered by each of their beginnings, so that two sides can be joined one column
   after the other.
   grain: as table's
   in: table (v<i> …, n), made (the new table's name), order (the columns v<i> in the order in which
       they are joined)
   out: table made(v<i>, n, p1 …: the number of the first one, two … columns' values) #}
CREATE TABLE {{ made | ident }} AS
SELECT
    t.*
{% for column in order %}
    , DENSE_RANK() OVER (ORDER BY {{ order[:loop.index] | listed('t.@ NULLS FIRST') }})
        AS p{{ loop.index | integer }}
{% endfor %}
FROM {{ table | ident }} AS t
