{# in: table
   out: what the planner needs to know of it #}
ANALYZE {{ table | ident }}
