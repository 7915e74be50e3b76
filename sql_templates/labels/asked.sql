{# Released values of a column that are to be read, where they lie.
   grain: one row per value with its bounds
   in: select (a template whose columns are a number, the label, and the bounds as text), with what
       it takes, arrays (whether labels are), lo, hi (which column of bounds is which, from 1; none)
   out: table labels_asked(id, label, listed: where it is an array, lo, hi) #}
CREATE OR REPLACE TABLE labels_asked AS
SELECT
    CAST(q.id AS BIGINT) AS id,
    {% if arrays %}
    CAST(NULL AS VARCHAR) AS label,
    q.label AS listed,
    {% else %}
    CAST(q.label AS VARCHAR) AS label,
    CAST(NULL AS VARCHAR[]) AS listed,
    {% endif %}
    {% if lo %}q.{{ ('b' ~ lo) | ident }}{% else %}CAST(NULL AS VARCHAR){% endif %} AS lo,
    {% if hi %}q.{{ ('b' ~ hi) | ident }}{% else %}CAST(NULL AS VARCHAR){% endif %} AS hi
FROM (
    {% include select ~ '.sql' %}
) AS q (id, label {{ range(1, bounds + 1) | each(', b#') }})
