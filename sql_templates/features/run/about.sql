{# What a release says of itself, for a person to try.
   in: about (table) #}
SELECT * FROM {{ about | ident }};
