{# The lines of a hierarchy file as it is: every field as text, a missing one as NULL. One thread
   reads: line feeds in quotes mislead several.
   grain: one row per line with fields
   in: path, delimiter, levels (how many fields a line has), returns (whether lines end in \r\n),
       table
   out: table of (v0 …, more: a field too many, place: of the line, from 0, line: from 1, where no
       line is blank and no cell holds several) #}
CREATE OR REPLACE TABLE {{ table | ident }} AS
SELECT
{% for level in range(levels) %}
    {% if returns %}
    REPLACE(p.v{{ level | integer }}, CHR(13) || CHR(10), CHR(10)) AS v{{ level | integer }},
    {% else %}
    p.v{{ level | integer }},
    {% endif %}
{% endfor %}
    p.more,
    CAST(ROW_NUMBER() OVER () - 1 AS INTEGER) AS place,
    CAST(ROW_NUMBER() OVER () AS INTEGER) AS line
FROM READ_CSV(
    {{ path | file }},
    delim = {{ delimiter | literal }}, header = FALSE, quote = '"', escape = '"', comment = '',
        nullstr = CHR(1), all_varchar = TRUE, hive_partitioning = FALSE, compression = 'none',
    auto_detect = FALSE, strict_mode = TRUE, null_padding = TRUE, parallel = FALSE,
        max_line_size = 100000000,
    columns = {
    {% for level in range(levels) %}
        'v{{ level | integer }}': 'VARCHAR',
    {% endfor %}
        'more': 'VARCHAR'
    }
) AS p
