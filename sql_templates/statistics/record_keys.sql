{# The record keys of entities: of HMAC-SHA-256 of their text the third to tenth hexadecimal digit.
   They are a table, as a hash that is joined by where it is made may be computed twice.
   grain: one row per entity; none for NULL
   in: source, key (a column: the entity), ledger_secret, hash (the engine's template of a keyed
       hash), numbered (that of a hexadecimal number), fence (that of its fence, or none)
   out: table record_keys(e: the entity, rk: a number in [0, 2^32)) #}
CREATE TABLE record_keys AS
SELECT
    h.e,
    CAST({% with digits = ['h', 'digits'], start = 1 %}{% include numbered ~ '.sql' %}{% endwith %}
        AS BIGINT) % 4294967296 AS rk
FROM (
    SELECT
        w.e,
        {% with hashed = ['w', 'w'] %}{% include hash ~ '.sql' %}{% endwith %} AS digits
    FROM (
        SELECT t.e, 'record key ' || CAST(t.e AS VARCHAR) AS w
        FROM (
            SELECT DISTINCT {{ key | value('s') }} AS e
            FROM {{ source | ident }} AS s
        ) AS t
        WHERE t.e IS NOT NULL
    ) AS w
    {% if fence %}{% include fence ~ '.sql' %}{% endif +%}
) AS h
