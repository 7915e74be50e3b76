{# The offers of classes that keep the promise, to cells that lie in no group yet.
   grain: one row per cell (and promise.extras) and class
   in: table (of offers, see methods/cells/finer/offered), placed, anew (whether cells of the table
       may have been placed since), keys (way, k1 … km), promise, into
   out: table <into>, those offers #}
CREATE TABLE {{ into | ident }} AS
WITH rest AS (
    SELECT o.*
    FROM {{ table | ident }} AS o
    {% if anew %}
    LEFT JOIN placed AS p ON p.cell = o.cell
    WHERE p.cell IS NULL
    {% endif %}
),
rolled AS (
    SELECT
        {{ (keys + promise.extras) | idents('r') }},
        {{ promise.weights | listed('CAST(SUM(r.@) AS BIGINT) AS @') }}
    FROM rest AS r
    GROUP BY {{ (keys + promise.extras) | idents('r') }}
)
SELECT r.*
FROM rest AS r
JOIN (
    {% with table = 'rolled' %}{% include 'privacy/classes.sql' %}{% endwith +%}
) AS x
    ON {{ keys | each('x.@ = r.@', ' AND ') }}
WHERE x.ok
