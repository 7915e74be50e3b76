{# Take the last line of a hierarchy file away again: the mark of its end.
   in: table, mark, levels
   out: (how many lines were the mark, in the first field and in the last) #}
DELETE FROM {{ table | ident }}
WHERE v0 = {{ mark | literal }} AND v{{ (levels - 1) | integer }} = {{ mark | literal }}
