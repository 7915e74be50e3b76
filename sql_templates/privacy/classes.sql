{# Which classes keep what the policy promises; the others are to be suppressed. Groups without a
   row of the table (known from the population alone) are no classes, but with a least presence,
   which they break. Each criterion of a privacy model has a template: see anonsql/privacy/base.
   grain: one row per combination of the keys; NULL is a key like another
   No key may be named own_… as what these templates add is.
   in: table (keys, promise.extras, promise.weights), keys (columns that name a class), promise,
       values_<index> and groups_<index> of the columns that its models are about
   out: a SELECT of (keys, n: rows, ok: whether the class keeps the promise) #}
{% if promise.plain %}
SELECT {{ keys | idents('f') }}, f.n, f.n >= {{ promise.k | integer }} AS ok
FROM {{ table | ident }} AS f
{% elif promise.counted %}
{% include 'privacy/counts.sql' %}
{% else %}
SELECT {{ keys | idents('j') }}, MAX(j.n) AS n, BOOL_AND(j.ok) AS ok
FROM (
    {% include 'privacy/counts.sql' %}
    {% for index, models in promise.by_column('shares').items() %}
    UNION ALL
    {% include 'privacy/shares.sql' %}
    {% endfor %}
    {% for index, models in promise.by_column('values').items() %}
    UNION ALL
    {% include 'privacy/ranges.sql' %}
    {% endfor %}
    {% for model in promise.over('classes') %}
    UNION ALL
    {% include model.kept +%}
    {% endfor %}
) AS j
GROUP BY {{ keys | idents('j') }}
{% endif %}
