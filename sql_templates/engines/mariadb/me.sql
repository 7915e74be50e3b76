{# grain: one row
   out: (version, number of this connection) #}
SELECT VERSION() AS version, CONNECTION_ID() AS id
