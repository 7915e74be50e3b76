{# Cells that two published tables have both, and say different things of.
   grain: one row
   in: one, other (tables), inside (dimensions of both), only_one, only_other (dimensions of one of
       them, which are at their total), measures (names)
   out: of every measure the cells with another status or value #}
SELECT
{% for m in measures %}
    CAST(COUNT(CASE WHEN {{ ['t', m ~ '_status'] | ident }} <> {{ ['u', m ~ '_status'] | ident }}
        OR {{ ['t', m] | ident }} <> {{ ['u', m] | ident }} THEN 1 END) AS BIGINT)
        AS {{ ('differ' ~ loop.index) | ident }}{% if not loop.last %},{% endif +%}
{% endfor %}
FROM (
    SELECT * FROM {{ one | ident }} AS a
    WHERE 1 = 1{% for d in only_one %}
        AND {{ ['a', d ~ '_level'] | ident }} = (
            SELECT MAX({{ ['x', d ~ '_level'] | ident }}) FROM {{ one | ident }} AS x
        ){% endfor +%}
) AS t
JOIN (
    SELECT * FROM {{ other | ident }} AS b
    WHERE 1 = 1{% for d in only_other %}
        AND {{ ['b', d ~ '_level'] | ident }} = (
            SELECT MAX({{ ['x', d ~ '_level'] | ident }}) FROM {{ other | ident }} AS x
        ){% endfor +%}
) AS u ON 1 = 1{% for d in inside %}
    AND {{ ['t', d ~ '_level'] | ident }} = {{ ['u', d ~ '_level'] | ident }}
    AND COALESCE({{ ['t', d] | ident }}, '') = COALESCE({{ ['u', d] | ident }}, '')
    AND ({{ ['t', d] | ident }} IS NULL) = ({{ ['u', d] | ident }} IS NULL)
    {%- endfor +%}
