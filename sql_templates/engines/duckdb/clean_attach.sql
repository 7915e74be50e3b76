{# in: path of the release file to be
   out: the new file under the name release, in the oldest storage format, so that DuckDB 1.x can
       read it #}
ATTACH {{ path | literal }} AS release (STORAGE_VERSION 'v1.0.0')
