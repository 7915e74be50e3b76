{# The release by the numbers of its labels, and the codes of the columns that are released as they
   are.
   grain: one row per distinct combination
   in: table (released rows), labels_<index>(label, word) of the attributes, domain_<index> of the
       kept columns, withheld (by index of an attribute the column that is known where its value is
       withheld)
   out: table released_facts(c<index> …, n); a label that is NULL has the number 0, one that is
       withheld -1 #}
CREATE TABLE released_facts AS
SELECT {{ attributes | each('k.c#,') }} {{ kept | each('k.c#,') }} CAST(COUNT(*) AS BIGINT) AS n
FROM (
    SELECT
    {% for a in attributes %}
        {% if a.index in withheld %}
        CASE WHEN r.{{ withheld[a.index] | ident }} IS NOT NULL THEN -1
            ELSE COALESCE(l#.label, 0) END
        {% else %}
        COALESCE(l#.label, 0)
        {% endif %}
        AS c#{% if kept or not loop.last %},{% endif +%}
    {% endfor %}
        {{ kept | listed('COALESCE(d#.code, 0) AS c#') }}
    FROM {{ table | ident }} AS r
    {{ attributes | each('LEFT JOIN labels_# AS l# ON l#.word = CAST(r.@ AS VARCHAR)') }}
    {{ kept | each('LEFT JOIN domain_# AS d# ON d#.value = @(r)') }}
) AS k
GROUP BY
    {{ (attributes + kept) | listed('k.c#') }}
