{# Drop a table or a view.
   in: table (its name), view (whether it is a view)
   out: the table or view no longer exists #}
DROP {% if view %}VIEW{% else %}TABLE{% endif %} {{ table | ident }}
