{# The classes of a trial's rows, by labels as the published release has them.
   grain: one row per row whose labels the published release has
   in: made (a release whose column part numbers rows), part, judged_rows, labels [(index, column)]
   out: (row, the numbers of its labels) #}
SELECT CAST(r.{{ part | ident }} AS BIGINT) AS part
{% for index, column in labels %}
    , l{{ index | integer }}.v AS {{ ('v' ~ index) | ident }}
{% endfor %}
FROM {{ made | ident }} AS r
{% for index, column in labels %}
JOIN (
    SELECT DISTINCT j.v{{ index | integer }} AS v, j.l{{ index | integer }} AS label
    FROM judged_rows AS j
) AS l{{ index | integer }} ON l{{ index | integer }}.label = r.{{ column | ident }}
{% endfor %}
ORDER BY part
