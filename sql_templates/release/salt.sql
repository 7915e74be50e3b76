{# The salt of this statement alone (anonsql.salts): it is never a part of its text.
   in: fresh_salt(salt), one row
   out: an expression #}
(SELECT z.salt FROM fresh_salt AS z)
