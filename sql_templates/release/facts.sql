{# A small table of what may be told about a release.
   in: facts (rows, the last cell of each its place), typed [(column, type)], ordering
   out: those rows and the ordering #}
SELECT
{% for name, type in typed %}
    CAST(f.{{ name | ident }} AS {{ type | sql_type }}) AS {{ name | ident }},
{% endfor %}
    f.{{ ordering | ident }}
FROM (VALUES {{ facts | rows }})
    AS f ({% for name, type in typed %}{{ name | ident }}, {% endfor %}{{ ordering | ident }})
