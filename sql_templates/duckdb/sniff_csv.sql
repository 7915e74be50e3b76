{# What DuckDB believes a CSV file is.
   in: path, delimiter or none
   out: one row (delimiter, [{name, type}]) #}
SELECT s.Delimiter, s.Columns
FROM SNIFF_CSV(
    {{ path | literal }},
    header = TRUE, quote = '"', escape = '"', sample_size = 20480
    {% if delimiter %}, delim = {{ delimiter | literal }}{% endif +%}
) AS s
