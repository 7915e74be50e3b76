{# grain: one row per query and label
   in: shares_<index>
   out: what it holds, to be taken to another engine #}
SELECT s.query, s.label, s.share
FROM shares_{{ index | integer }} AS s
