{# The ends of intervals as texts that every engine casts to the type in which ranges of the column
   are compared with its values. A number between two units is moved inside the interval, one
   beyond the type to its least or greatest; a date that ends an interval of timestamps is its whole
   day.
   grain: one row per row of end_texts
   in: kind (of the column), scale (its digits after the point), small (whether its numbers are
       BIGINT), and the common table expression end_texts(id, origin, upper: whether it is the
       greatest, text)
   out: the common table expression end_values(id, origin, upper, value: NULL where the text is no
        end) #}
{% from 'labels/macros.sql' import NUMBER, number_of, moment_of %}
{% set type = 'DECIMAL(38, ' ~ scale ~ ')' %}
{% set unit = '0.' ~ '0' * (scale - 1) ~ '1' if scale else '1' %}
{% set greatest = '9223372036854775807' if small
    else '9' * (38 - scale) ~ ('.' ~ '9' * scale if scale else '') %}
{% set least = '-9223372036854775808' if small else '-' ~ greatest %}
{% if kind in ('integer', 'decimal') %}
end_numbers AS (
    SELECT
        t.id, t.origin, t.upper, t.text LIKE '-%' AS negative,
        CASE
            WHEN NOT REGEXP_FULL_MATCH(t.text, {{ NUMBER | literal }}) THEN NULL
            WHEN t.text ILIKE '%e%'
            THEN COALESCE(CAST(TRY_CAST(t.text AS DECIMAL(38, 18)) AS VARCHAR),
                CAST(TRY_CAST(t.text AS DECIMAL(38, 0)) AS VARCHAR),
                CASE WHEN t.text LIKE '-%' THEN '-' ELSE '' END || REPEAT('9', 39))
            ELSE t.text END AS plain
    FROM end_texts AS t
),
end_parts AS (
    SELECT
        n.*,
        REGEXP_EXTRACT(n.plain, '^[+-]?([0-9]*)', 1) AS whole,
        REGEXP_EXTRACT(n.plain, '\.([0-9]*)$', 1) AS places
    FROM end_numbers AS n
),
end_units AS (
    SELECT
        p.*,
        TRY_CAST(CASE WHEN p.negative THEN '-' ELSE '' END || '0' || p.whole || '.'
            || LEFT(p.places, {{ scale | integer }}) AS {{ type | sql_type }}) AS units,
        RTRIM(SUBSTRING(p.places, {{ scale | integer }} + 1), '0') <> ''
            AND p.negative = p.upper AS between_units
    FROM end_parts AS p
),
end_values AS (
    SELECT
        u.id, u.origin, u.upper,
        CASE WHEN u.plain IS NOT NULL
            THEN CAST(LEAST(GREATEST(
                COALESCE(
                    CASE WHEN u.between_units
                        THEN TRY(u.units + CAST(CASE WHEN u.upper THEN '-' ELSE '' END
                            || {{ unit | literal }} AS {{ type | sql_type }}))
                        ELSE u.units END,
                    CAST(CASE WHEN u.negative THEN {{ least | literal }}
                        ELSE {{ greatest | literal }} END AS {{ type | sql_type }})),
                CAST({{ least | literal }} AS {{ type | sql_type }})),
                CAST({{ greatest | literal }} AS {{ type | sql_type }})) AS VARCHAR)
            END AS value
    FROM end_units AS u
)
{% elif kind == 'float' %}
end_values AS (
    SELECT t.id, t.origin, t.upper, CAST({{ number_of(['t', 'text']) }} + 0e0 AS VARCHAR) AS value
    FROM end_texts AS t
)
{% elif kind in ('date', 'timestamp') %}
end_moments AS (
    SELECT
        t.id, t.origin, t.upper,
        {{ moment_of(['t', 'text']) }}
        {% if kind == 'timestamp' %}
            + CASE WHEN t.upper AND LENGTH(t.text) = 10 THEN 86399999999 ELSE 0 END
        {% endif %} AS moment
    FROM end_texts AS t
),
end_values AS (
    SELECT
        m.id, m.origin, m.upper,
        {% if kind == 'date' %}
        CAST(CAST(MAKE_TIMESTAMP(m.moment) AS DATE) AS VARCHAR) AS value
        {% else %}
        CAST(MAKE_TIMESTAMP(m.moment) AS VARCHAR) AS value
        {% endif %}
    FROM end_moments AS m
)
{% else %}
end_values AS (
    SELECT t.id, t.origin, t.upper, CAST(NULL AS VARCHAR) AS value
    FROM end_texts AS t
)
{% endif %}
