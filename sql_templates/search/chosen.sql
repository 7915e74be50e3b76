{# The frequency set of one node by the codes of its attributes.
   grain: one row per group and combination of extra codes
   in: table, attributes, levels {index: level}, base, promise
   out: table <table>(c1 … cn, promise.extras, promise.weights) #}
CREATE TABLE {{ table | ident }} AS
SELECT
{% for a in attributes %}
    b.a{{ a.index | integer }}_{{ levels[a.index] | integer }} AS c{{ a.index | integer }},
{% endfor %}
{% for extra in promise.extras %}
    b.{{ extra | ident }},
{% endfor %}
{% for weight in promise.weights %}
    CAST(SUM(b.{{ weight | ident }}) AS BIGINT) AS {{ weight | ident }}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM base AS b
GROUP BY {% for a in attributes %}b.a{{ a.index | integer }}_{{ levels[a.index] | integer }}{% if not loop.last %}, {% endif %}{% endfor %}{% for extra in promise.extras %}, b.{{ extra | ident }}{% endfor +%}
