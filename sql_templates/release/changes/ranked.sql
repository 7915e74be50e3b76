{# The value of a column that has a rank among the others, or among the least (or greatest) values of
   people; NULL counts as none.
   grain: one row
   in: source, name, rank (from the least, 1), descending (from the greatest instead), people (the
       column that tells people apart, or none: every row counts)
   out: (value; none where there are fewer values) #}
SELECT r.v AS ranked_value
FROM (
    SELECT
        p.v,
        ROW_NUMBER() OVER (ORDER BY p.v{% if descending %} DESC{% endif %} NULLS LAST) AS place
    FROM (
        {% if people is none %}
        SELECT s.{{ name | ident }} AS v
        {% else %}
        SELECT {% if descending %}MAX{% else %}MIN{% endif %}(s.{{ name | ident }}) AS v
        {% endif %}
        FROM {{ source | ident }} AS s
        WHERE s.{{ name | ident }} IS NOT NULL
        {% if people is not none %}
            AND s.{{ people.name | ident }} IS NOT NULL
        GROUP BY {{ people | value('s') }}
        {% endif %}
    ) AS p
) AS r
WHERE r.place = {{ rank | integer }}
