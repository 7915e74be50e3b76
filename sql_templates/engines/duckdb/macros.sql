{# Random orders.
   out: macros #}

{# A place in an order that only a secret salt knows (see anonsql/release/random_order.py). All that
   MD5 takes besides the salt is that rows differ: their numbers would be given by one thread alone,
   random UUIDs are by all. The 64 bits of HASH take less room in the sort than 32 digits.
   in: fresh_salt
   out: an expression #}
{% macro shuffled() %}
HASH(MD5((SELECT z.salt FROM fresh_salt AS z) || CAST(UUID() AS VARCHAR)))
{%- endmacro %}
