{# in: allowed
   out: until the transaction ends, statements sort where another plan would do, or do not #}
SELECT SET_CONFIG('enable_sort', {% if allowed %}'on'{% else %}'off'{% endif %}, TRUE)
