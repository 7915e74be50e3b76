{# The values of some sets, of a column whose values are released as they are.
   grain: one row per set and value
   in: c (queried column), number (of the sets), domain_<index>, limits_<number>(key: of a set, empty:
       1 for NULL, lo, lo_after: whether its values come after lo, hi, hi_after: whether hi is one of
       them)
   out: table hits_<number>(key, code) #}
{% set text = c.domain.kind == 'text' %}
CREATE TABLE hits_{{ number | integer }} AS
SELECT DISTINCT t.key, d.code
FROM domain_{{ c.index | integer }} AS d
JOIN limits_{{ number | integer }} AS t
    ON CASE
        WHEN t.empty = 1 OR d.code = 0 THEN t.empty = 1 AND d.code = 0
        ELSE (t.lo IS NULL OR d.value{% if text %} COLLATE "C"{% endif %} > t.lo
            OR (t.lo_after = 0 AND d.value = t.lo))
            AND (t.hi IS NULL OR d.value{% if text %} COLLATE "C"{% endif %} < t.hi
                OR (t.hi_after = 1 AND d.value = t.hi))
    END
