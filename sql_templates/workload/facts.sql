{# The source by the codes of the columns that queries may ask for.
   grain: one row per distinct combination
   in: source, domain_<index>, columns
   out: table source_facts(c<index> …, n) #}
CREATE TABLE source_facts AS
SELECT
{% for a in columns %}
    COALESCE(d{{ a.index | integer }}.code, 0) AS c{{ a.index | integer }},
{% endfor %}
    CAST(COUNT(*) AS BIGINT) AS n
FROM {{ source | ident }} AS s
{% for a in columns %}
LEFT JOIN domain_{{ a.index | integer }} AS d{{ a.index | integer }} ON d{{ a.index | integer }}.value = {% with side = 's' %}{% include 'star/value.sql' %}{% endwith +%}
{% endfor %}
GROUP BY {% for a in columns %}COALESCE(d{{ a.index | integer }}.code, 0){% if not loop.last %}, {% endif %}{% endfor +%}
