{# Builds a model that `anonsql compile --dbt` wrote: beside the table that is there, looks at it, and
   only then puts it in that table's place. Where something is wrong it raises an error, and the
   earlier table stays. #}
{% materialization anonsql_release, default %}
  {%- set promise = (config.get('meta') or {}).get('anonsql') -%}
  {%- do anonsql.require_named(promise, this, model, target) -%}
  {%- set release = this.incorporate(type='table') -%}
  {%- set staged = make_intermediate_relation(release) -%}
  {%- set aside = load_cached_relation(make_backup_relation(release, 'table')) -%}
  {%- if load_cached_relation(this) is none and aside is not none -%}{# a run ended in between #}
    {%- do adapter.rename_relation(aside, release) -%}
  {%- endif -%}
  {%- set existing = load_cached_relation(this) -%}
  {%- set earlier = make_backup_relation(release, 'table' if existing is none else existing.type) -%}
  {%- for left in (load_cached_relation(staged), load_cached_relation(earlier)) if left -%}
    {%- do drop_relation_if_exists(left) -%}
  {%- endfor -%}

  {{ run_hooks(pre_hooks, inside_transaction=False) }}
  {{ run_hooks(pre_hooks, inside_transaction=True) }}
  {% call statement('main') %}{{ get_create_table_as_sql(False, staged, sql) }}{% endcall %}
  {%- set problems = anonsql.problems(staged, promise, sql) -%}
  {%- if problems -%}
    {%- do adapter.drop_relation(staged) -%}
    {%- do exceptions.raise_compiler_error(
        "nothing is published: " ~ problems ~ ". Change the policy or the data, and compile anew.")
    -%}
  {%- endif -%}

  {%- if existing is not none -%}{%- do adapter.rename_relation(existing, earlier) -%}{%- endif -%}
  {%- do adapter.rename_relation(staged, release) -%}
  {{ run_hooks(post_hooks, inside_transaction=True) }}
  {%- do apply_grants(release, config.get('grants'),
        should_revoke=should_revoke(existing, full_refresh_mode=True)) -%}
  {%- do persist_docs(release, model) -%}
  {{ adapter.commit() }}
  {%- do drop_relation_if_exists(earlier) -%}
  {{ run_hooks(post_hooks, inside_transaction=False) }}
  {{ return({'relations': [release]}) }}
{% endmaterialization %}


{# Raise an error where a model is not what its policy was compiled for. #}
{% macro require_named(promise, relation, model, target) %}
{%- set reads = [] -%}
{%- for node in model.depends_on.nodes -%}{%- do reads.append(node.split('.')[-1]) -%}{%- endfor -%}
{%- if not promise -%}
    {%- set problem = "it has no policy: `anonsql compile --dbt` writes such models" -%}
{%- elif promise.makes != relation.identifier -%}
    {%- set problem = "its policy releases the table " ~ promise.makes ~ ", and the model makes "
        ~ relation.identifier -%}
{%- elif reads != [promise.reads] -%}
    {%- set problem = "its policy is of the table " ~ promise.reads ~ ", and the model reads "
        ~ reads | join(', ') -%}
{%- elif promise.dialect != target.type -%}
    {%- set problem = "it was compiled for " ~ promise.dialect ~ ", and the target is "
        ~ target.type -%}
{%- endif -%}
{%- if problem -%}
    {%- do exceptions.raise_compiler_error("nothing is published: " ~ problem ~ ".") -%}
{%- endif -%}
{% endmacro %}


{# What is wrong with a staged release, in words and counts, or nothing. `last` is the line that
   `anonsql compile` writes before the last part of the query (features/compile/dbt.py). #}
{% macro problems(staged, promise, sql) %}
{%- set last = '-- the release, or nothing where there are problems' -%}
{%- set found = [] -%}
{%- set small = run_query(anonsql.small_classes(staged, promise.columns, promise.k)) -%}
{%- if small | length -%}
    {%- do found.append((small | length) ~ " classes have fewer than " ~ promise.k ~ " rows") -%}
{%- elif not run_query('select 1 from ' ~ staged ~ ' limit 1') | length -%}
    {%- set asked = sql.rsplit(last, 1)[0] ~ 'select * from ' ~ adapter.quote('problems') -%}
    {%- for row in run_query(asked).rows -%}
        {%- if row[1] == 'suppressed' -%}
            {%- do found.append("more rows would be suppressed than the policy allows, "
                ~ row[3] | int) -%}
        {%- else -%}
            {%- do found.append("the hierarchy of " ~ promise.attributes[row[0] | int | string]
                ~ " does not fit (" ~ row[1] ~ "), values: " ~ row[3] | int) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if not found -%}{%- do found.append("no row is left to release") -%}{%- endif -%}
{%- endif -%}
{%- do return(found | join('; ')) -%}
{% endmacro %}
