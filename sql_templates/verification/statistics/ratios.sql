{# One ratio of a published table, beside the published measures that it is made of.
   grain: one row
   in: table, ratio, above, below (names of measures), step (a half of the last digit), most (ratios
       from there on are hidden), heights {dimension: the level of the total} where the divisor is that
       of the total, else none
   out: hidden cells whose ratio follows, shown cells whose ratio does not, and shown cells with another
       value #}
SELECT
    CAST(COUNT(CASE WHEN r.ratio IS NULL AND ABS(r.quotient) < {{ most | number }} * 0.999999 THEN 1 END) AS BIGINT)
        AS lacking,
    CAST(COUNT(CASE WHEN r.ratio IS NOT NULL AND r.quotient IS NULL THEN 1 END) AS BIGINT) AS more,
    CAST(COUNT(CASE WHEN ABS(r.ratio - r.quotient)
        > {{ step | number }} * 1.000001 + ABS(r.ratio) * 0.000000000000001 THEN 1 END) AS BIGINT) AS other
FROM (
    SELECT
        CAST({{ ['t', ratio] | ident }} AS DOUBLE) AS ratio,
        CAST({{ ['t', above] | ident }} AS DOUBLE) / NULLIF(CAST(
            {% if heights is none %}
            {{ ['t', below] | ident }}
            {% else %}
            (
                SELECT MAX({{ ['u', below] | ident }}) FROM {{ table | ident }} AS u
                WHERE {% for d in heights %}{{ ['u', d ~ '_level'] | ident }} = {{ heights[d] | integer }}
                    {%- if not loop.last %} AND {% endif %}{% endfor +%}
            )
            {% endif %}
        AS DOUBLE), 0) AS quotient
    FROM {{ table | ident }} AS t
) AS r
