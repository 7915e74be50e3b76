{# What is withheld of a row, as one number.
   in: semi; m is a row of marked
   out: an expression #}
CAST({% for a in semi %}m.w{{ a.index | integer }}
    * CAST({{ (2 ** loop.index0) | integer }} AS BIGINT) + {% endfor %}0 AS BIGINT)
