{# Some classes of people.
   grain: one row per person
   in: some (which ones of so many parts of the classes: the first, the one after the last, of how
       many), everybody (a table of people, see relational/search/standing)
   out: a SELECT of its columns #}
SELECT t.*
FROM everybody AS t
WHERE t.class % {{ some[2] | integer }}
    BETWEEN {{ some[0] | integer }} AND {{ (some[1] - 1) | integer }}
