"""Which tests of many cases take a sample of them in every run.

``SAMPLED`` says of a test that one of so many of its cases runs: those at equal distances, which
meet every engine and kind where cases are ordered by these. ``pytest -m thorough`` runs the others,
and ``pytest -m "thorough or not thorough"`` all.
"""

from __future__ import annotations

import pytest

SELECTION = "thorough"
SAMPLED = {
    "test_anatomy::test_releases_to_files": 2,
    "test_apply::test_a_release_in_parquet": 2,
    "test_bad_input::test_odd_names_and_values": 2,
    "test_compile::test_the_compiled_release_is_the_published_one": 3,
    "test_csv_release::test_every_value_comes_back": 2,
    "test_databases::test_methods_make_the_same_release": 4,
    "test_embedded_search::test_only_codes_counts_and_domains_leave_the_server": 3,
    "test_embedded_search::test_the_release_is_the_same_both_ways": 5,
    "test_engines::test_every_kind_of_value_is_generalized_the_same": 4,
    "test_engines::test_groups_are_the_same": 7,
    "test_engines::test_measures_are_the_same": 2,
    "test_engines::test_releases_to_files_from_every_engine": 3,
    "test_engines::test_relocation_is_the_same": 4,
    "test_engines::test_search_and_suppression_are_the_same": 2,
    "test_groups::test_the_whole_promise_is_kept_by_every_method": 4,
    "test_incognito::test_adult_k2_is_exactly_what_brute_force_found": 3,
    "test_incognito::test_domains_larger_than_a_number_take_more_keys": 2,
    "test_jobs::test_a_release_that_was_broken_is_told": 2,
    "test_judge::test_releases_of_every_method_pass": 4,
    "test_keeping::test_classes_are_judged_as_by_hand_and_as_by_the_search": 4,
    "test_kept::test_what_a_release_gives_away_is_counted_on_its_rows": 2,
    "test_local::test_every_kind_of_value": 3,
    "test_masking::test_no_place_of_a_policy_gives_it_away": 3,
    "test_models::test_a_release_keeps_its_promise": 4,
    "test_models::test_search_is_brute_force_for_every_model": 4,
    "test_models::test_unions_keep_what_their_parts_keep": 3,
    "test_models_of_methods::test_classes_keep_a_hierarchical_t": 2,
    "test_models_of_methods::test_classes_keep_a_recursive_l": 2,
    "test_named_values::test_values_that_look_like_more_than_one_are_values": 2,
    "test_over_time_servers::test_the_same_rows_are_held_back_everywhere": 2,
    "test_plain_sql::test_statements_of_models_return_the_classes_that_break_them": 3,
    "test_plain_sql::test_statements_return_nothing_of_a_release": 4,
    "test_postgres::test_kept_columns_of_the_servers_own_types": 3,
    "test_query::test_bounds_hold_of_the_source": 4,
    "test_query_groups::test_groups_hold_of_the_source": 2,
    "test_query_hierarchies::test_a_recipient_gets_the_policys_answers": 2,
    "test_release_reader::test_stretches_of_names_run_in_the_order_that_is_released": 3,
    "test_relaxation::test_following_the_advice_succeeds": 2,
    "test_release::test_a_corrupted_release_is_refused": 3,
    "test_replace::test_a_fault_of_a_writer_is_found": 2,
    "test_replace::test_every_method": 2,
    "test_replaced::test_on_servers_and_in_files": 2,
    "test_report_pages::test_pages_of_every_kind_of_method": 2,
    "test_ring::test_sets_of_columns_with_many_values": 2,
    "test_ring::test_what_is_no_ring_is_not_published": 3,
    "test_seams::test_a_fault_of_a_writer_is_found_and_nothing_published": 3,
    "test_seams::test_without_a_fault_they_are_published": 2,
    "test_secrets::test_nobody_learns_from_statements_and_logs_which_row_is_which": 5,
    "test_shadowing::test_no_method_calls_a_namesake": 2,
    "test_spans::test_numbers_in_a_class_or_bucket_lie_apart": 2,
    "test_values::test_the_gate_finds_values_that_are_only_equal": 2,
    "test_values_postgres::test_quasi_identifying_dates_may_be_infinite_or_bc": 2,
    "test_verify_facts::test_every_fact_that_is_edited_is_refused": 4,
    "test_verify_facts::test_labels_bounds_and_descriptions_that_cannot_be": 3,
    "test_verify_facts::test_losses_are_recounted_with_the_source": 5,
    "test_weak_promises::test_a_t_that_one_value_keeps_is_refused_by_every_method": 3,
    "test_weak_promises::test_what_hides_little_is_warned_of": 3,
}


def choose(config, items):
    """Take a sample of the cases of the tests of ``SAMPLED``, and deselect the others, which are
    marked; those are taken where they are asked for."""
    seen: dict[str, int] = {}
    others = []
    for item in items:
        name = f"{item.path.stem}::{getattr(item, 'originalname', item.name)}"
        distance = SAMPLED.get(name, 1)
        place = seen[name] = seen.get(name, -1) + 1
        if place % distance:
            item.add_marker(getattr(pytest.mark, SELECTION))
            others.append(item)
    if SELECTION in config.getoption("markexpr", "") or _named(config):
        return
    left_out = set(map(id, others))
    items[:] = [item for item in items if id(item) not in left_out]
    config.hook.pytest_deselected(items=others)


def _named(config):
    """Whether single cases are asked for by name."""
    return bool(config.getoption("keyword", "")) or any("::" in each for each in config.args)
