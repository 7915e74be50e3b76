{# The rows of a release whose sensitive values lie apart.
   grain: one row per source row
   in: separated (see methods/anatomy/separated), released, fresh_salt where there are
       surrogates
   out: the released columns #}
{% from 'release/macros.sql' import replacement %}
SELECT
{% for r in released %}
    {% if r.replaced %}{{ replacement(r, ['t', 'r' ~ r.position], none) }}
    {%- else %}{{ r | sql('t.r#') }}{% endif %} AS {{ r.name | ident }}
    {%- if not loop.last %},{% endif +%}
{% endfor %}
FROM separated AS t
