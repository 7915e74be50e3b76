{# The text of a value with the engines' own ways evened out: where BC stands, and how a number is
   written: its digits and the place
   of the point before them.
   in: column (spelling), text (a reference)
   out: an expression #}
{% if column.spelling == 'moment' %}
REPLACE(REPLACE({{ text | ident }}, ' (BC)', ''), ' BC', '') || CASE WHEN {{ text | ident
    }} LIKE '%BC%' THEN ' BC' ELSE '' END
{%- elif column.spelling == 'number' %}
CASE
    WHEN LOWER({{ text | ident }}) LIKE '%n%' THEN REPLACE(LOWER({{ text | ident }}), 'inity', '')
    WHEN LTRIM(REPLACE(REPLACE(SPLIT_PART({{ text | ident }}, 'e', 1), '-', ''), '.', ''), '0') = ''
    THEN CASE WHEN {{ text | ident }} LIKE '-%' THEN '-0' ELSE '0' END
    ELSE CASE WHEN {{ text | ident }} LIKE '-%' THEN '-' ELSE '' END
        || RTRIM(LTRIM(REPLACE(REPLACE(SPLIT_PART({{ text | ident
            }}, 'e', 1), '-', ''), '.', ''), '0'), '0')
        || 'e'
        || CAST(
            CAST(COALESCE(NULLIF(SPLIT_PART({{ text | ident }}, 'e', 2), ''), '0') AS INTEGER)
            + LENGTH(SPLIT_PART(REPLACE(SPLIT_PART({{ text | ident }}, 'e', 1), '-', ''), '.', 1))
            + LENGTH(LTRIM(REPLACE(REPLACE(SPLIT_PART({{ text | ident
                }}, 'e', 1), '-', ''), '.', ''), '0'))
            - LENGTH(REPLACE(REPLACE(SPLIT_PART({{ text | ident }}, 'e', 1), '-', ''), '.', ''))
            AS VARCHAR)
END
{%- else %}{{ text | ident }}{% endif %}
