{# in: schemas (the run's own, in which nobody else can create; or none)
   out: names without a schema mean what lies in those and in the server's catalog. Temporary tables
        come last: left out, they would come first. #}
SET search_path TO {{ schemas | each('@, ') }}pg_catalog, pg_temp
