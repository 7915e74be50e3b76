{# The release by the numbers of its values.
   grain: one row per distinct combination
   in: table (released rows), queried (columns), values_<index>, buckets_<index>, domain_<index>, starred
       (columns whose labels are all * in masked rows, where there are such rows: a NULL there may
       hide a value)
   out: table facts(c<index> …: number of a label, from -2 downwards of a bucket, code of a value
       kept as it is, -1 where nothing is known; n) #}
CREATE TABLE facts AS
SELECT {{ queried | each('k.c#,') }} CAST(COUNT(*) AS BIGINT) AS n
FROM (
    SELECT
    {% for c in queried %}
    {% set i = c.index %}
        {% if c.held.kept %}
        {% if starred %}CASE
            WHEN d{{ i | integer }}.code IS NULL
                {{ starred | each("AND CAST(r.@ AS VARCHAR) = '*'") }}
                THEN -1 ELSE COALESCE(d{{ i | integer }}.code, 0) END
            {% else %}
            COALESCE(d{{ i | integer }}.code, 0){% endif %}
        {% elif not c.held.bucketed %}
        v{{ i | integer }}.value
        {% elif c.held.labels %}
        {{ i | sql('COALESCE(b#.bucket, v#.value, -1)') }}
        {% else %}
        COALESCE(b{{ i | integer }}.bucket, -1)
        {% endif %}
        AS c{{ i | integer }}{% if not loop.last %},{% endif +%}
    {% endfor %}
    FROM {{ table | ident }} AS r
    {% for c in queried %}
    {% set i = c.index %}
    {% if c.held.kept %}
    LEFT JOIN domain_{{ i | integer }} AS d{{ i | integer }}
        ON d{{ i | integer }}.value = {{ c.coded | value('r') }}
    {% endif %}
    {% if c.held.bucketed %}
    LEFT JOIN buckets_{{ i | integer }} AS b{{ i | integer }}
        ON b{{ i | integer }}.key = r.{{ c.held.bucketed.key | ident }}
    {% endif %}
    {% if c.held.labels %}
    {{ i | sql('LEFT JOIN values_# AS v#') }}
        ON {% for part in c.parts %}v{{ i | integer }}.key{{ loop.index | integer }} = COALESCE('='
            || CAST(r.{{ part | ident }} AS VARCHAR),
            ''){% if not loop.last %} AND {% endif %}{% endfor +%}
    {% endif %}
    {% endfor %}
) AS k
GROUP BY {{ queried | listed('k.c#') }}
