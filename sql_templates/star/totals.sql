{# grain: one row
   in: combinations, attributes, coded, population (whether there is one)
   out: rows, distinct combinations of quasi-identifying values that the source has, then for each
       attribute the number of rows in which it is NULL, those of the population counted in, then
       for each coded column that number #}
SELECT
    CAST(COALESCE(SUM(t.n), 0) AS BIGINT) AS total,
{% if coded or population %}
    (
        SELECT CAST(COUNT(*) AS BIGINT)
        FROM (
            SELECT DISTINCT {{ attributes | listed('u.q#') }} FROM combinations AS u WHERE u.n > 0
        ) AS v
    ) AS combinations
{% else %}
    CAST(COUNT(*) AS BIGINT) AS combinations
{% endif %}
{% for a in attributes %}
    , CAST(COALESCE(SUM(
        CASE WHEN t.q# IS NULL THEN t.n{% if population %} + t.p{% endif %} END
    ), 0) AS BIGINT) AS nulls#
{% endfor %}
{% for a in coded %}
    , CAST(COALESCE(SUM(CASE WHEN t.q# IS NULL THEN t.n END), 0) AS BIGINT) AS nulls#
{% endfor %}
FROM combinations AS t
