{# The rows of some people of a source, those whose hash lies in a range: the same in every job.
   grain: one row per row of such a person
   in: source, names (of its columns), who (the columns that identify people), alike (whether several
       rows that have the same values there are several people), low, high (the range, of 2^40),
       numbered (the engine's template of a hexadecimal number), fence (that of its fence, or none)
   out: the columns #}
SELECT {{ names | idents('h') }}
FROM (
    SELECT
        {{ names | idents('t') }},
        {% if alike %}
        MD5(t."hash of values" || CAST(ROW_NUMBER() OVER (
            PARTITION BY t."hash of values" ORDER BY t."hash of values" NULLS FIRST
        ) AS VARCHAR))
        {% else %}
        t."hash of values"
        {% endif %}
            AS "hash of person"
    FROM (
        SELECT
            {{ names | idents('s') }},
            MD5('person' {{ who | each("|| '=' || COALESCE(CAST(@(s) AS VARCHAR), '')", " ") }})
                AS "hash of values"
        FROM {{ source | ident }} AS s
    ) AS t
    {% if fence %}{% include fence ~ '.sql' %}{% endif +%}
) AS h
WHERE {% with digits = ['h', 'hash of person'], start = 1 %}{% include numbered ~ '.sql' %}{% endwith %}
    >= {{ low | integer }}
    AND {% with digits = ['h', 'hash of person'], start = 1 %}{% include numbered ~ '.sql' %}{% endwith %}
    < {{ high | integer }}
