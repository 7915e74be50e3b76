{# Patterns that are released as one which withholds less.
   grain: one row
   in: patterns(lent, pattern: what is withheld of its rows, as one number,
       see methods/local/patterns/macros; f<index>: 1 where the attribute is released as withheld),
       semi
   out: how many patterns #}
SELECT COUNT(*) AS exposed
FROM patterns AS p
WHERE
{% for a in semi %}
    CAST(FLOOR(p.pattern / CAST({{ (2 ** loop.index0) | integer }} AS DOUBLE)) AS BIGINT) % 2 > p.f#
    {% if not loop.last %}OR{% endif +%}
{% endfor %}
