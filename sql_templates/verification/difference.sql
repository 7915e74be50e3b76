{# Where the release is not the source generalized, less the classes that do not keep the promise,
   as multisets of whole rows. Works on labels and values alone and shares nothing with the search's
   codes.
   grain: one row
   in: verified_rows (see verification/counted), verified_classes (the verdicts on
       verification/judged) unless they are asked for at once (judging, with keys and what
       verification/judged takes), released, labels, table, masked
   out: (distinct rows whose number differs, by how many rows in all) #}
WITH
{% if judging %}
verified_groups AS (
    {% include 'verification/judged.sql' +%}
),
verified_classes AS (
    {% with table = 'verified_groups' %}{% include 'verification/keeping.sql' %}{% endwith +%}
),
{% endif %}
expected AS (
    SELECT
    {% for r in released %}
        {% if masked and r.kind == 'label' %}
        {{ r | sql("CASE WHEN k.ok THEN c.r# ELSE '*' END AS r#,") }}
        {% elif masked and (r.kind != 'kept' or r.hidden) %}
        {{ r | sql("CASE WHEN k.ok THEN c.r# END AS r#,") }}
        {% else %}
        c.r{{ r.position | integer }},
        {% endif %}
    {% endfor %}
        c.n
    FROM verified_rows AS c
    JOIN verified_classes AS k
        ON {{ labels | each("k.t# = COALESCE('=' || c.r#, '')", ' AND ') }}
    {% if not masked %}
    WHERE k.ok
    {% endif %}
),
{% include 'verification/surplus.sql' %}
