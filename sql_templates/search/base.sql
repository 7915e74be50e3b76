{# The cells with the paths of their codes, so that any frequency set is one GROUP BY of masked
   keys.
   grain: one row per cell
   in: cells, code_paths, keys [(name, [(attribute, mask)])], attributes, promise
   out: table base(keys, promise.extras, promise.weights) #}
CREATE TABLE base AS
SELECT
{% for key, parts in keys %}
    CAST(0 AS BIGINT)
    {% for a, mask in parts %}
        + p#.{{ key | ident }}
    {% endfor %}
    AS {{ key | ident }},
{% endfor %}
    {{ (promise.extras + promise.weights) | idents('t') }}
FROM cells AS t
{{ attributes | each('JOIN code_paths AS p# ON p#.attribute = # AND p#.code = t.c#') }}
