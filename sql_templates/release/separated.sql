{# The rows of a release whose sensitive values lie apart, in an order that only a secret salt
   knows.
   grain: one row per source row
   in: separated (see methods/anatomy/separated), released, fresh_salt, ordering
   out: the released columns and the ordering #}
{% from 'release/macros.sql' import replacement %}
SELECT
{% for r in released %}
    {% if r.replaced %}{{ replacement(r, ['t', 'r' ~ r.position], none) }}
    {%- else %}{{ r | sql('t.r#') }}{% endif %} AS {{ r.name | ident }},
{% endfor %}
    MD5((SELECT z.salt FROM fresh_salt AS z) || CAST(ROW_NUMBER() OVER () AS VARCHAR)) COLLATE "C"
        AS {{ ordering | ident }}
FROM separated AS t
