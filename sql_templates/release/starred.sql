{# Released classes that are * in every quasi-identifying column although nothing is suppressed in
   them: masked rows could not be told from them.
   grain: one row
   in: classes (c1 …, n, ok), attributes, levels, dim_<index>
   out: how many #}
SELECT COUNT(*) AS classes
FROM {{ classes | ident }} AS x
{% for a in attributes %}
JOIN dim_# AS d# ON d#.code = x.c# AND d#.v{{ levels[a.index] | integer }} = '*'
{% endfor %}
WHERE x.ok
