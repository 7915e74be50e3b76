{# How the first lines of a CSV file are divided.
   grain: one row per line, in the file's order
   in: path, within (a character that no line has), delimiters, most (lines that are looked at)
   out: (the delimiter that a line `sep=…` names, or an empty text; whether a digit
       stands in the line; for each delimiter, how often it
       stands outside of quotes, and how many fields have something in them) #}
SELECT
    REGEXP_EXTRACT(COALESCE(f.line, ''), '^\x{FEFF}?"?sep=(.)"?$', 1, 'i'),
    REGEXP_MATCHES(COALESCE(f.line, ''), '[0-9]'),
{% for delimiter in delimiters %}
    LENGTH(q.line) - LENGTH(REPLACE(q.line, {{ delimiter | literal }}, '')),
    LENGTH(REGEXP_REPLACE(REGEXP_REPLACE(
        q.line,
        {{ ('[^' ~ delimiter ~ ']*[^' ~ delimiter ~ '[:space:]][^' ~ delimiter ~ ']*') | literal }},
        'x', 'g'), '[^x]', '', 'g')){% if not loop.last %},{% endif +%}
{% endfor %}
FROM READ_CSV(
    {{ path | file }},
    delim = {{ within | literal }}, header = FALSE, quote = '', escape = '',
    all_varchar = TRUE, hive_partitioning = FALSE,
    auto_detect = FALSE, strict_mode = FALSE, columns = {'line': 'VARCHAR'}
) AS f
CROSS JOIN LATERAL (
    SELECT REGEXP_REPLACE(COALESCE(f.line, ''), '"[^"]*"', '"', 'g') AS line
) AS q
LIMIT {{ most | integer }}
