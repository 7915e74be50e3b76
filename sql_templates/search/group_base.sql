{# The cells by the codes of quasi-identifying values alone, with the paths of their codes.
   grain: one row per combination of codes
   in: cells, code_paths, keys [(name, [(attribute, mask)])], attributes
   out: table group_base(keys, c<index>, n) #}
CREATE TABLE group_base AS
SELECT
{% for key, parts in keys %}
    CAST(0 AS BIGINT)
    {% for a, mask in parts %}
        + p#.{{ key | ident }}
    {% endfor %}
    AS {{ key | ident }},
{% endfor %}
    {{ attributes | each('t.c#,') }}
    t.n
FROM (
    SELECT {{ attributes | each('t.c#,') }} CAST(SUM(t.n) AS BIGINT) AS n
    FROM cells AS t
    GROUP BY {{ attributes | listed('t.c#') }}
) AS t
{{ attributes | each('JOIN code_paths AS p# ON p#.attribute = # AND p#.code = t.c#') }}
