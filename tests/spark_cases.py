"""Which cases of the tests of all engines Spark is spared, and why.

A statement costs Spark a quarter of a second, so a case whose statements all run there in another
case adds minutes and no knowledge. ``LEFT_OUT`` names whole cases: tests by file and name, with the
ids that are kept all the same. ``SHORTER`` names tests that stop early on Spark, with what remains.
``pytest -m spark_all`` runs what is listed here, to its end, and nothing else;
``pytest -m "spark_all or not spark_all"`` runs everything there is.
"""

from __future__ import annotations

import pytest

_STATEMENTS = "another case of this test runs the same statements there"
_PORTABLE = "minutes, of statements that are as portable as others"
LEFT_OUT = {
    "test_anatomy::test_a_table_in_the_way_of_an_extra_one_stays": (
        [],
        "test_spark looks at the names, which are all that differs",
    ),
    "test_anatomy::test_releases_to_files": (["out.duckdb"], _STATEMENTS),
    "test_buckets::test_on_every_engine": ([], "test_local makes a whole release of buckets"),
    "test_compile::test_the_compiled_release_is_the_published_one": (["1"], _STATEMENTS),
    "test_engines::test_every_kind_of_value_is_generalized_the_same": (["4"], _STATEMENTS),
    "test_engines::test_groups_are_the_same": (
        ["mondrian", "ring-array"],
        "the other methods' statements are of the same kinds: windows, joins, arrays",
    ),
    "test_engines::test_relocation_is_the_same": (["k-{}"], _STATEMENTS),
    "test_engines::test_groups_without_frequent_values_are_the_same": (
        [],
        "a curve is a statement for every bit: minutes",
    ),
    "test_engines::test_measures_are_the_same": ([], "a measure is some eighty statements"),
    "test_report_engines::test_pages_are_the_same_on_every_engine": (
        [],
        "a page is some hundred statements, which test_templates translates",
    ),
    "test_engines::test_search_and_suppression_are_the_same": (["mask"], _STATEMENTS),
    "test_engines::test_small_tables": (["rows0", "rows2"], _STATEMENTS),
    "test_engines::test_releases_to_files_from_every_engine": (["place1"], _STATEMENTS),
    "test_expanded::test_a_view_on_every_target": ([], "test_local publishes a view there"),
    "test_greedy_partition::test_every_engine_makes_the_same_parts": (
        [],
        "eighty statements; mondrian's own run in test_engines",
    ),
    "test_local::test_every_kind_of_value": ([], "minutes; test_on_every_engine runs the same"),
    "test_query_values::test_numbers_as_servers_compare_them": (
        [],
        "it is about DuckDB's single precision and PostgreSQL's numeric",
    ),
    "test_embedded_search::test_the_release_is_the_same_both_ways": (
        ["k"],
        _STATEMENTS,
    ),
    "test_embedded_search::test_only_codes_counts_and_domains_leave_the_server": (
        ["mondrian, l"],
        _STATEMENTS,
    ),
    "test_embedded_search::test_local_works_both_ways": ([], "test_local makes a release there"),
    "test_embedded_search::test_in_place_nothing_leaves_the_server": (
        [],
        "PostgreSQL decides by the same code",
    ),
    "test_embedded_search::test_too_little_memory_is_a_clear_error": (
        [],
        "the workbench is DuckDB whatever the server is",
    ),
    "test_embedded_search::test_statements_of_the_workbench_are_not_the_servers": (
        [],
        "PostgreSQL counts by the same code",
    ),
    "test_embedded_search::test_too_many_combinations_stay_where_they_are": (
        [],
        "PostgreSQL decides by the same code",
    ),
    "test_over_time_servers::test_the_same_rows_are_held_back_everywhere": (
        [],
        "two releases and a search: minutes; their statements are as portable as all others",
    ),
    "test_verify_with::test_engines": ([], _PORTABLE),
    "test_replace::test_every_engine": (
        [],
        _PORTABLE,
    ),
    "test_relational::test_a_release_is_replaced_as_a_whole": (
        [],
        "test_spark replaces releases, by the same views",
    ),
    "test_relational::test_values_are_counted_by_people": ([], _PORTABLE),
    "test_relational_source::test_a_release_in_another_engine": ([], _PORTABLE),
    "test_relational_surrogates::test_equal_where_the_values_are": ([], _PORTABLE),
    "test_relational_unchanged::test_every_table_counts": ([], _PORTABLE),
    "test_over_time_servers::test_a_series_ends_on_purpose_alone": ([], _PORTABLE),
    "test_people::test_the_engines_hold_people_against_the_source": (["surrogate"], _STATEMENTS),
    "test_relational::test_in_place_counts_the_same": (
        [],
        _PORTABLE,
    ),
    "test_engines::test_every_model_keeps_the_same_classes": (
        [],
        "classes are judged by one template, which test_templates translates",
    ),
    "test_engines::test_check_and_if_changed": ([], "test_spark runs both"),
    "test_apart_from_source::test_on_every_engine": (
        [],
        _PORTABLE,
    ),
    "test_judge::test_releases_of_every_method_pass": (
        [],
        _PORTABLE,
    ),
    "test_apply::test_new_rows_get_the_published_levels": ([], _STATEMENTS),
    "test_kept::test_the_engines_count_alike": ([], "test_engines runs them with every release"),
    "test_embedded_search::test_every_type_is_released_the_same_both_ways": (
        ["levels"],
        _STATEMENTS,
    ),
    "test_secrets::test_nobody_learns_from_statements_and_logs_which_row_is_which": (
        ["hybrid"],
        _STATEMENTS,
    ),
}
SHORTER = {
    "test_anatomy::test_a_release_of_another_method_is_replaced_wholly": "one replacement each way",
    "test_hybrid_regions::test_engines_relocate_the_same": "a table of one column",
    "test_engines::test_releases_to_files_from_every_engine": "one release, not two",
    "test_local::test_on_every_engine": "one release; the second lends rows by the same statements",
    "test_query::test_on_every_engine": "one answer, of a sum",
    "test_query_hierarchies::test_on_every_engine": "the release and its proof, without questions",
    "test_relational::test_keys_join_what_belonged_together": "a release, without its page",
    "test_relational_source::test_a_release_is_the_sources": "one changed source",
    "test_spans::test_dates_times_and_numbers_on_every_engine": "all bounds in one release",
}
SELECTION = "spark_all"
_chosen = {"everything": False}


def begin(config):
    """Notice whether this run asks for what Spark is spared."""
    chosen = config.getoption("markexpr", "")
    _chosen["everything"] = SELECTION in chosen


def shorter(engine):
    """Whether a test of ``SHORTER`` stops early: on Spark, unless everything was asked for."""
    return engine.name == "spark" and not _chosen["everything"]


def mark(items):
    """Mark the cases of Spark, and those it is spared; skip these unless they were asked for."""
    for item in items:
        called = getattr(item, "callspec", None)
        if called is None or "spark" not in (
            called.params.get("engine"),
            called.params.get("name"),
        ):
            continue
        item.add_marker(pytest.mark.slow)
        name = f"{item.path.stem}::{item.originalname}"
        if name in SHORTER:
            item.add_marker(SELECTION)
        if name in LEFT_OUT:
            kept, reason = LEFT_OUT[name]
            if called.id.removeprefix("spark").removeprefix("-") in kept:
                continue
            item.add_marker(SELECTION)
            if not _chosen["everything"]:
                item.add_marker(
                    pytest.mark.skip(reason=f"on Spark, without -m spark_all: {reason}")
                )
