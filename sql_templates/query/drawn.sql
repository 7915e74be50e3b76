{# What a user's statement gives on one draw of completed tables.
   grain: as the statement has it
   in: statement (that was parsed, held to reading completed tables, and written anew)
   out: its columns #}
{{ statement | select }}
