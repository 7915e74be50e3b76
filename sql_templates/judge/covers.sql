{# Which values of the source a released value of a column may stand for.
   grain: one row per released value and source value
   in: judged_words_<index>(value, word), judged_ranges_<index>(value, first, last) where ranges, judged_names_<index>(value,
       first, last) where names, judged_bounds_<index>(value, lo, hi) where bound; dim_<index>, a (attribute), levels (that
       words may be of), range_type, lo_type and hi_type (of the bounds)
   out: table judged_covers_<index>(value, code) #}
CREATE TABLE judged_covers_{{ a.index | integer }} AS
SELECT DISTINCT CAST(f.value AS BIGINT) AS value, f.code
FROM (
    {% for level in levels %}
    SELECT w.value, d.code
    FROM judged_words_{{ a.index | integer }} AS w
    JOIN dim_{{ a.index | integer }} AS d ON d.v{{ level | integer }} = w.word
    UNION ALL
    {% endfor %}
    SELECT w.value, d.code
    FROM judged_words_{{ a.index | integer }} AS w
    JOIN dim_{{ a.index | integer }} AS d ON d.code = 0
    WHERE w.word IS NULL
    UNION ALL
    SELECT w.value, d.code
    FROM judged_words_{{ a.index | integer }} AS w
    CROSS JOIN dim_{{ a.index | integer }} AS d
    WHERE w.word = '*'
    {% if ranges %}
    UNION ALL
    SELECT r.value, d.code
    FROM judged_ranges_{{ a.index | integer }} AS r
    JOIN dim_{{ a.index | integer }} AS d
        ON d.value >= CAST(r.first AS {{ range_type | sql_type }}) AND d.value <= CAST(r.last AS {{ range_type | sql_type }})
    {% endif %}
    {% if names %}
    UNION ALL
    SELECT r.value, d.code
    FROM judged_names_{{ a.index | integer }} AS r
    JOIN (
        {% include 'single/ordered.sql' %}
    ) AS b ON b.v0 = r.first AND b.code > 0
    JOIN (
        {% include 'single/ordered.sql' %}
    ) AS e ON e.v0 = r.last AND e.code > 0
    JOIN (
        {% include 'single/ordered.sql' %}
    ) AS d ON d.place >= b.place AND d.place <= e.place
    {% endif %}
) AS f
JOIN dim_{{ a.index | integer }} AS d ON d.code = f.code
{% if bound %}
LEFT JOIN judged_bounds_{{ a.index | integer }} AS u ON u.value = f.value
{% endif %}
WHERE ({% include 'groups/present.sql' %})
{% if bound %}
    AND (u.lo IS NULL OR d.value >= CAST(u.lo AS {{ lo_type | sql_type }}))
    AND (u.hi IS NULL OR d.value <= CAST(u.hi AS {{ hi_type | sql_type }}))
{% endif %}
