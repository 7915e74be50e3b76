{# grain: one row per class that does not keep the promise
   in: table (c1 … cn, n, ok), attributes
   out: its codes #}
SELECT {{ attributes | listed('x.c#') }} FROM {{ table | ident }} AS x WHERE NOT x.ok
