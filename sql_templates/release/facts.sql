{# A small table of what may be told about a release.
   in: facts (rows), names of their columns, ordering
   out: those rows and the ordering #}
SELECT {{ names | idents }}, {{ ordering | ident }}
FROM (VALUES {{ facts | rows }}) AS f ({{ names | idents }}, {{ ordering | ident }})
