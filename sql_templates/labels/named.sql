{# The distinct released values of columns, beside each other, with what their bounds say.
   grain: one row per column and value with its bounds
   in: named (a list of table, columns, bounds, masked as verification/named takes them, arrays:
       whether the labels are, loaded: the table that has what that gives, where it was counted
       elsewhere)
   out: table labels_values(col, id, label, listed: an array, n, lo, hi, and of both ends as they
       are compared: the number, the moment, the digits) #}
{% from 'labels/macros.sql' import number_of, moment_of, digits_of %}
CREATE OR REPLACE TABLE labels_values AS
WITH
named AS (
    {% for each in named %}
    {% with table = each.table, columns = each.columns, bounds = each.bounds,
        masked = each.masked %}
    SELECT
        s.position AS col,
        s.n,
        {% if each.arrays %}
        CAST(NULL AS VARCHAR) AS label,
        s.label AS listed,
        {% else %}
        s.label,
        CAST(NULL AS VARCHAR[]) AS listed,
        {% endif %}
        {% if bounds == 2 %}
        s.b0 AS lo,
        s.b1 AS hi
        {% else %}
        CAST(NULL AS VARCHAR) AS lo,
        CAST(NULL AS VARCHAR) AS hi
        {% endif %}
    FROM {% if each.loaded %}{{ each.loaded | ident }}
        {% else %}({% include 'verification/named.sql' %}){% endif %} AS s
    {% endwith %}
    {% if not loop.last %}UNION ALL{% endif +%}
    {% endfor %}
),
points AS (
    SELECT
        p.*,
        {{ number_of(['p', 'lo']) }} AS lo_number,
        {{ number_of(['p', 'hi']) }} AS hi_number
    FROM named AS p
)
SELECT
    p.*,
    ROW_NUMBER() OVER () AS id,
    {{ moment_of(['p', 'lo']) }} AS lo_moment,
    {{ moment_of(['p', 'hi']) }} AS hi_moment,
    {{ digits_of(['p', 'lo_number'], ['p', 'lo']) }} AS lo_digits,
    {{ digits_of(['p', 'hi_number'], ['p', 'hi']) }} AS hi_digits
FROM points AS p
