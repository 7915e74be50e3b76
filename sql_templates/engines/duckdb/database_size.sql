{# grain: one row
   in: database, an attached file
   out: (bytes of a block, blocks, those of them that are free) #}
SELECT z.block_size, z.total_blocks, z.free_blocks
FROM PRAGMA_DATABASE_SIZE() AS z
WHERE z.database_name = {{ database | literal }}
