{# How many rows of the source have each value of the columns that a limit to losses is about, and
   between which limits the number of those lies that are released. Released rows whose sensitive
   value is none of the source's may be any value's.
   grain: one row per column and value, NULL being a value like another
   in: attributes with groups_<index>(code, n, least, most) and dim_<index>, sensitive (numbers of
       columns) with held_<number>(value, n, released)
   out: table group_shares(number, value, n, least, most) #}
CREATE TABLE group_shares AS
{% for a in attributes %}
SELECT # AS number, CAST(b.v{{ a.min_level | integer }} AS VARCHAR) AS value, g.n, g.least, g.most
FROM groups_# AS g
LEFT JOIN dim_# AS b ON b.code = g.code
{% if sensitive or not loop.last %}UNION ALL{% endif +%}
{% endfor %}
{% for number in sensitive %}
SELECT
    {{ number | integer }} AS number,
    CAST(h.value AS VARCHAR) AS value,
    h.n,
    h.released AS least,
    h.released + u.n AS most
FROM {{ ('held_' ~ number) | ident }} AS h
CROSS JOIN (
    SELECT CAST(COALESCE(SUM(o.released), 0) AS BIGINT) AS n
    FROM {{ ('held_' ~ number) | ident }} AS o
    WHERE o.n = 0
) AS u
WHERE h.n > 0
{% if not loop.last %}UNION ALL{% endif +%}
{% endfor %}
