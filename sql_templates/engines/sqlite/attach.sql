{# in: name; the URL of the file is bound
   out: the file attached under that name #}
ATTACH DATABASE ? AS {{ name | ident }}
