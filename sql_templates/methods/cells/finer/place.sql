{# in: picks, made, keys (way, k1 … km), promise
   out: rows of placed #}
INSERT INTO placed
SELECT {% if promise.extras %}DISTINCT {% endif %}p.cell, m.grp
FROM picks AS p
JOIN made AS m ON {{ keys | each('m.@ = p.@', ' AND ') }}
