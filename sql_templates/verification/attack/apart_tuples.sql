{# The released rows, where sensitive values are released apart, by all that is compared.
   grain: one row per distinct combination
   in: judged_rows(v<index>, y<number>, n), judged_values_<j>, labels [(index, facet, number of the
       column of its buckets or none)], kept [(number j, facet, cast, text)], buckets [(number,
       facet)], facets (the columns made)
   out: table judged_tuples(id: from 1, v<facet>: of a label its number, 0 where the cell is in a
       bucket; of a kept value the number that the source's has, 0 for NULL, -1 for none; of a
       bucket its number, 0 for none, n) #}
{% from 'verification/attack/macros.sql' import bucket_number, kept_value %}
CREATE TABLE judged_tuples AS
SELECT
    ROW_NUMBER() OVER (ORDER BY {{ facets | listed('c.@ NULLS FIRST') }}) AS id,
    {{ facets | idents('c') }},
    CAST(SUM(c.n) AS BIGINT) AS n
FROM (
    SELECT
    {% for index, facet, bucket in labels %}
        {% if bucket %}
        CASE WHEN r.{{ ('y' ~ bucket) | ident }} IS NULL THEN r.v{{ index | integer }} ELSE 0 END
        {% else %}
        r.v{{ index | integer }}
        {% endif %}
            AS {{ ('v' ~ facet) | ident }},
    {% endfor %}
    {% for j, facet, cast, text in kept %}
        {{ j | sql('CASE WHEN r.y# IS NULL THEN 0 ELSE COALESCE(t#.x, -1) END') }}
            AS {{ ('v' ~ facet) | ident }},
    {% endfor %}
    {% for j, facet in buckets %}
        CASE WHEN r.{{ ('y' ~ j) | ident }} IS NULL THEN 0
            ELSE {{ bucket_number(['r', 'y' ~ j]) }} END AS {{ ('v' ~ facet) | ident }},
    {% endfor %}
        r.n
    FROM judged_rows AS r
    {% for j, facet, cast, text in kept %}
    LEFT JOIN {{ ('judged_values_' ~ j) | ident }} AS t{{ j | integer }}
        ON t{{ j | integer }}.value = {{ kept_value('y' ~ j, cast, text) }}
    {% endfor %}
) AS c
GROUP BY {{ facets | idents('c') }}
