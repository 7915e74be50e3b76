{# The number of a bucket, which is free to be any but 0: that means none.
   in: b (a reference to the bucket)
   out: an expression #}
CASE WHEN {{ b | ident }} >= 0 THEN CAST({{ b | ident }} AS BIGINT) + 1
    ELSE CAST({{ b | ident }} AS BIGINT) END
