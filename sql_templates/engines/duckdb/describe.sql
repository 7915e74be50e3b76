{# grain: one row per column of a relation, in order
   in: relation
   out: (name, type, …) #}
DESCRIBE SELECT * FROM {{ relation | ident }}
