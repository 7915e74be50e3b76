{# out: everything written to the file, no log beside it #}
CHECKPOINT release
