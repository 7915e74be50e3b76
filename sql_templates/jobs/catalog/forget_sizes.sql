{# in: search_key
   out: the sizes of every other search are gone #}
DELETE FROM class_sizes WHERE search_key <> {{ search_key | literal }}
