{# grain: one row per column of a relation, in order
   out: (name, type, …) #}
DESCRIBE SELECT * FROM {{ relation | ident }}
