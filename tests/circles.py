"""The three circles of tests: which cases each runs.

``pytest`` runs what is judged by; ``-m quick`` a part of it, in two minutes; ``-m long`` what it
leaves out, ``-m "long or not long"`` everything. A case that is named on the command line runs
whatever circle it is in. The tables name tests as ``file::function`` (``[case]``), or whole files.
Tests of a single method say in their own files which circle they are in, by the same words:
``quick``, ``long`` and ``sampled``.
"""

from __future__ import annotations

import pytest

from .engines import DATABASES, ENGINES
from .slow import SLOW

QUICK = {
    "test_assignment_graph",
    "test_attack_with::test_masked_and_empty_releases",
    "test_bounds",
    "test_closeness",
    "test_combinations",
    "test_conditions",
    "test_dependencies",
    "test_hilbert",
    "test_keys",
    "test_labels",
    "test_layers",
    "test_lexicographic",
    "test_literals",
    "test_matchings",
    "test_measures",
    "test_messages",
    "test_patterns",
    "test_pipeline",
    "test_policy",
    "test_public",
    "test_reading",
    "test_release_reader",
    "test_solution_space",
    "test_templates",
    "test_workspace",
    "test_added_method::test_a_privacy_model_that_no_method_knows_is_refused_by_all",
    "test_bad_input::test_paths_that_are_none",
    "test_cli::test_quiet_and_verbose",
    "test_cli::test_run_search_verify_check",
    "test_engines::test_every_model_keeps_the_same_classes[duckdb]",
    "test_guide::test_blocks_have_a_language_that_is_run",
    "test_guide::test_every_command_has_a_page_with_its_options",
    "test_guide::test_every_engine_has_a_page",
    "test_guide::test_every_field_of_several_tables_is_described",
    "test_guide::test_every_field_of_the_policy_is_described",
    "test_guide::test_every_hierarchy_is_described",
    "test_guide::test_every_method_has_a_page_with_its_options",
    "test_guide::test_every_model_has_a_page_with_its_options",
    "test_guide::test_links_lead_somewhere",
    "test_guide::test_the_folders_that_contributors_are_told_of_are_there",
    "test_guide::test_the_index_has_a_line_for_every_page",
    "test_judge::test_releases_of_every_method_pass[duckdb-mondrian]",
    "test_judge::test_tables_2_and_3",
    "test_left_out::test_every_method_keeps_the_limit_or_refuses",
    "test_masking::test_a_place_is_shown_without_it",
    "test_order::test_rows_are_sorted_on_the_engines[duckdb]",
    "test_query::test_bounds_by_hand",
    "test_relational::test_keys_join_what_belonged_together[duckdb]",
    "test_relational_bad_input::test_a_wrong_policy_is_refused_by_place",
    "test_release::test_a_corrupted_release_is_refused",
    "test_release::test_run_is_the_oracle",
    "test_release_files::test_a_file_of_other_bytes_is_refused",
    "test_report_pages::test_every_promise_has_words",
    "test_seams::test_a_borrowed_module_is_seen",
    "test_seams::test_a_borrowed_statement_is_seen",
    "test_seams::test_a_folder_of_templates_is_named_as_the_package_or_module_that_owns_it",
    "test_seams::test_criteria_are_judged_by_statements_of_their_own",
    "test_seams::test_folders_of_provers_include_nothing_of_writers",
    "test_seams::test_provers_and_writers_share_no_statement",
    "test_seams::test_provers_import_nothing_of_those_who_write",
    "test_seams::test_without_a_fault_they_are_published",
    "test_seams::test_writers_do_not_read_labels",
    "test_suppression::test_an_audit_says_what_exact_programs_say",
    "test_suppression::test_only_tables_that_fit_are_witnesses",
    "test_suppression::test_two_releases_against_brute_force",
    "test_suppression::test_who_is_alone_in_a_cell_knows_it",
    "test_verify_facts::test_labels_bounds_and_descriptions_that_cannot_be",
}
"""Files, tests and cases of the inner circle: structure, words and grammar, oracles on tiny tables,
a run of each method and of several tables, a check of each kind; less what of them is long."""

LONG = {
    "test_advise::test_entries_of_a_release_on_a_server",
    "test_advise::test_it_fits_80_columns",
    "test_anatomy::test_adult",
    "test_databases::test_a_connection_that_is_lost_at_any_statement",
    "test_embedded_search::test_a_spark_elsewhere_takes_rows",
    "test_finer::test_effort_on_the_real_table",
    "test_finer::test_every_cell_picks_the_class_of_least_loss",
    "test_full_subtree::test_adult_loses_less_than_by_levels",
    "test_fuzz::test_csv_files",
    "test_fuzz::test_hierarchies",
    "test_fuzz::test_texts_of_policies",
    "test_hilbert::test_sets_of_adult_lose_less_than_intervals",
    "test_incognito::test_adult_k10_with_suppression_is_brute_force",
    "test_incognito::test_fars_the_algorithms_agree",
    "test_jobs::test_killed_at_any_moment",
    "test_judge::test_adult_passes",
    "test_local::test_on_real_rows",
    "test_local::test_who_minds_most_is_not_left_out",
    "test_kept::test_maps_of_spark_count_by_their_text",
    "test_linked::test_no_false_alarm_on_real_tables",
    "test_linked::test_what_is_told_is_counted_one_by_one",
    "test_ordered_partition::test_adult_loses_less_than_by_levels",
    "test_over_time_attack::test_adult",
    "test_over_time_attack::test_told_deletions_expose_whom_they_say",
    "test_over_time_attack::test_with_a_ledger_values_stay_close",
    "test_over_time_attack::test_with_a_ledger_values_stay_diverse",
    "test_over_time_kills::test_kills_at_random_moments",
    "test_over_time_servers::test_a_run_that_is_killed_leaves_ledger_and_release_in_step",
    "test_pages_browser::test_fifty_thousand_nodes_open_in_a_moment",
    "test_published_tables::test_a_published_example[companies, table 7]",
    "test_published_tables::test_a_published_example[few contributors, table 2]",
    "test_published_tables::test_a_published_example[microdata1, frequencies]",
    "test_published_tables::test_a_published_example[microdata1, p%]",
    "test_published_tables::test_a_published_example[p% of 100]",
    "test_published_tables::test_a_published_example[singletons, data1a]",
    "test_published_tables::test_a_published_example[two largest of 100]",
    "test_relational_attack::test_tables_released_one_by_one_leave_many_alone",
    "test_relational_models::test_verify_counts_as_brute_force_does",
    "test_relational_models::test_what_is_published_keeps_the_models",
    "test_relational_search::test_many_people_are_judged_in_portions",
    "test_relational_search::test_what_is_published_is_the_best_and_keeps_the_promise",
    "test_relational_source::test_rows_of_people_who_look_alike_were_exchanged",
    "test_relational_source::test_what_was_altered_is_seen_just_when_it_can_be",
    "test_relational_unchanged::test_a_file_of_a_hierarchy",
    "test_relational_unchanged::test_another_release_at_the_same_place",
    "test_release::test_a_wide_table",
    "test_ring::test_rows_that_are_alike_take_turns",
    "test_shadowing::test_no_command_calls_a_namesake",
    "test_solution_space::test_verdicts_are_brute_force",
    "test_relational_bad_input::test_a_limit_of_other_tables_is_told_by_name",
    "test_statistics_bad_input::test_whatever_changed_is_tabulated_anew",
    "test_statistics_zeros::test_contributors_do_not_find_where_nobody_is",
    "test_spark::test_a_killed_run_is_swept_by_the_next",
    "test_spark::test_comments_and_lengths_of_the_source_are_not_released",
    "test_spark::test_ended_between_two_views",
    "test_spark::test_metadata_of_a_column_is_refused",
    "test_spark::test_spark_connect",
    "test_spark::test_structures_are_released_as_text",
    "test_spark::test_what_is_no_part_of_a_release_is_refused",
    "test_terminal::test_several_tables_and_releases_over_time_fit_80_columns",
    "test_warehouse::test_dbt_builds_releases_and_refuses_what_does_not_fit",
    "test_warehouse::test_snowflakes_files_and_model_make_the_release",
}
"""Tests that are long as a whole: attacks, kills, brute force, real tables. Others show the
behaviour in less time."""

LONG |= {f"{file}::{test}" for file, tests in SLOW.items() for test in tests}

SAMPLED = {
    "test_anatomy::test_a_corrupted_release_is_refused": 4,
    "test_anatomy::test_what_anatomy_cannot_promise_is_refused": 2,
    "test_anatomy::test_what_is_not_the_source_taken_apart_is_not_published": 3,
    "test_anonymize::test_a_frame_becomes_what_its_table_becomes": 6,
    "test_anonymize::test_a_policy_is_proposed_for_a_frame": 6,
    "test_anonymize::test_what_is_no_table_is_refused_by_name": 2,
    "test_apart_from_source::test_on_every_engine": 2,
    "test_apply::test_a_release_in_parquet": 6,
    "test_attack::test_every_method_is_attacked": 16,
    "test_attack::test_settings_that_make_no_sense_are_refused": 4,
    "test_automatic::test_columns_of_which_little_can_be_made": 5,
    "test_averages::test_edits_are_found_by_the_release_alone": 4,
    "test_bad_input::test_files_that_look_like_patterns": 6,
    "test_bad_input::test_no_path_of_a_command_ends_in_a_traceback": 7,
    "test_bad_input::test_odd_names_and_values": 15,
    "test_bad_input::test_paths_that_are_none": 4,
    "test_bad_input::test_types_of_quasi_identifiers": 9,
    "test_buckets::test_buckets_that_are_not_the_sources_are_found": 2,
    "test_buckets::test_corrupted_buckets_are_found": 4,
    "test_changes::test_a_release_alone_shows_what_no_change_leads_to": 9,
    "test_changes::test_methods_and_models_are_about_what_is_released": 3,
    "test_check_and_run::test_what_no_class_can_have_is_told_before_the_search": 16,
    "test_cli::test_a_page_that_no_browser_opens_is_named": 3,
    "test_cli::test_demo_replaces_no_file_that_is_not_its_own": 5,
    "test_compile::test_other_dialects_parse": 5,
    "test_completed::test_another_table_is_refused": 8,
    "test_completed::test_drawn_rows_are_no_closer_to_the_source_than_to_people_who_are_not_in_it": 3,
    "test_completed::test_small_tables_have_one": 3,
    "test_completion::test_what_is_expected_is_what_many_draws_give": 3,
    "test_contents::test_codes_dates_and_places_are_none": 3,
    "test_contents::test_columns_of_real_tables_hold_nothing": 4,
    "test_contents::test_every_engine_recognizes_the_same": 5,
    "test_csv_release::test_a_file_of_others_is_not_replaced": 6,
    "test_csv_release::test_a_first_record_that_names_nothing_is_not_told": 4,
    "test_csv_release::test_every_value_comes_back": 16,
    "test_csv_release::test_the_names_are_those_of_the_first_record": 2,
    "test_csv_release::test_values_that_csv_cannot_hold_are_refused": 5,
    "test_databases::test_a_killed_run_leaves_the_earlier_release": 3,
    "test_databases::test_every_kind_of_value_is_generalized_the_same": 3,
    "test_databases::test_small_tables": 4,
    "test_databases::test_statements_mean_the_same": 3,
    "test_differential::test_few_rows_are_no_reason_to_fail": 2,
    "test_differential::test_forged_facts_are_refused": 7,
    "test_embedded_search::test_only_codes_counts_and_domains_leave_the_server": 9,
    "test_engines::test_a_second_run_replaces_the_first": 2,
    "test_engines::test_every_kind_of_value_is_generalized_the_same": 6,
    "test_engines::test_measures_are_the_same": 2,
    "test_engines::test_relocation_is_the_same": 10,
    "test_engines::test_search_and_suppression_are_the_same": 2,
    "test_engines::test_small_tables": 4,
    "test_expanded::test_other_views_are_strangers": 4,
    "test_finer::test_batches_of_any_size_keep_the_promise": 2,
    "test_finer::test_passes_go_on_until_the_goal": 3,
    "test_groups::test_a_release_without_levels_is_no_scheme": 2,
    "test_groups::test_only_levels_can_be_searched_and_applied_again": 3,
    "test_guide::test_what_a_document_shows_is_so": 170,
    "test_hierarchies::test_hierarchies_that_do_not_fit": 2,
    "test_hierarchies::test_timestamps_of_every_precision": 2,
    "test_hostile_input::test_folders_that_are_no_text": 3,
    "test_hostile_input::test_pipes_and_devices_are_no_hierarchies": 2,
    "test_hybrid::test_suppressed_groups_count_as_unchanged_in_the_test": 2,
    "test_hybrid::test_table_1_of_the_paper": 2,
    "test_hybrid_regions::test_many_regions_are_looked_at_in_parts": 2,
    "test_incognito::test_adult_k2_is_exactly_what_brute_force_found": 7,
    "test_incognito::test_domains_larger_than_a_number_take_more_keys": 7,
    "test_incognito::test_patients": 3,
    "test_jobs::test_what_was_touched_is_looked_into": 7,
    "test_judge::test_full_domain_with_suppressed_rows": 2,
    "test_judge::test_releases_of_every_method_pass": 12,
    "test_keeping::test_classes_are_judged_as_by_hand_and_as_by_the_search": 8,
    "test_kept::test_a_column_that_singles_out_every_row_is_warned_of_whatever_its_type": 3,
    "test_kept::test_the_verdict_says_beside_the_promise_how_many_rows_are_single": 7,
    "test_kept::test_what_a_release_gives_away_is_counted_on_its_rows": 8,
    "test_kept_values::test_a_kept_column_of_another_type_is_refused": 5,
    "test_keys_of_people::test_columns_of_real_tables_are_none": 2,
    "test_left_out::test_every_method_keeps_the_limit_or_refuses": 11,
    "test_left_out::test_verification_of_a_run_refuses_what_the_writer_let_pass": 2,
    "test_left_out::test_what_is_published_is_held_to_the_limit_against_the_source": 3,
    "test_local::test_a_corrupted_release_is_refused": 8,
    "test_local::test_on_every_engine": 3,
    "test_local::test_policies_that_make_no_sense": 3,
    "test_local::test_rows_are_lent_as_they_should_be": 6,
    "test_local::test_what_is_not_the_source_is_not_published": 9,
    "test_mariadb::test_what_is_no_part_of_a_release_is_refused": 30,
    "test_masking::test_no_command_gives_it_away": 3,
    "test_masking::test_no_place_of_a_policy_gives_it_away": 14,
    "test_matchings::test_corruption_leaves_candidates": 5,
    "test_matchings::test_every_match_has_the_same_probability": 8,
    "test_matchings::test_ways_for_large_parts_are_as_fair": 5,
    "test_measure::test_queries_that_are_not_understood": 15,
    "test_models::test_a_release_keeps_its_promise": 42,
    "test_models::test_a_suppressed_class_spoils_the_one_it_is_merged_into": 3,
    "test_models::test_unions_keep_what_their_parts_keep": 13,
    "test_models_of_methods::test_classes_keep_a_hierarchical_t": 12,
    "test_models_of_methods::test_classes_keep_a_recursive_l": 9,
    "test_mondrian::test_few_attributes_at_a_time_end_in_the_same_claim": 2,
    "test_named_values::test_rings_that_name_what_few_rows_may_be_are_refused": 4,
    "test_named_values::test_values_that_look_like_more_than_one_are_values": 7,
    "test_noise::test_draws_are_those_of_the_distribution": 6,
    "test_noise::test_nobody_is_told_from_draws": 2,
    "test_one_table::test_new_rows_get_the_levels_of_all_tables": 2,
    "test_order::test_numbers_follow_from_rows_on_the_engines": 5,
    "test_order::test_rows_are_sorted_on_the_engines": 3,
    "test_order::test_every_table_of_every_method_is_sorted": 20,
    "test_order::test_values_of_all_kinds_have_one_order": 6,
    "test_ordered_partition::test_the_best_of_all_partitions_is_found": 3,
    "test_ordered_partition::test_time_ends_the_search_and_what_was_found_is_released": 2,
    "test_over_time::test_methods_that_do_not_keep_it_refuse_it": 2,
    "test_over_time_attack::test_with_a_ledger_nobody_is": 2,
    "test_over_time_kills::test_the_next_run_goes_on": 5,
    "test_over_time_servers::test_the_same_rows_are_held_back_everywhere": 6,
    "test_pages_browser::test_everybody_can_read_it": 6,
    "test_people::test_risk_goes_by_people": 6,
    "test_people::test_the_engines_hold_people_against_the_source": 5,
    "test_people::test_verification_does_not_believe_other_numbers_of_people": 6,
    "test_planted_faults::test_faults_in_rows_are_refused": 4,
    "test_pipeline::test_every_stage_leaves_its_result_in_the_job": 6,
    "test_plain_sql::test_a_single_file_is_asked_by_its_name": 2,
    "test_plain_sql::test_statements_of_models_return_the_classes_that_break_them": 9,
    "test_plain_sql::test_the_statement_of_spans_returns_classes_of_near_values": 2,
    "test_policy::test_schemas_are_the_models": 4,
    "test_postgres::test_a_release_that_somebody_made_anew_during_the_run": 2,
    "test_postgres::test_what_is_no_part_of_a_release_is_listed": 6,
    "test_postgres::test_what_is_no_part_of_a_release_is_refused": 4,
    "test_public::test_packages_do_not_take_the_place_of_functions": 3,
    "test_published_tables::test_a_published_example": 7,
    "test_query::test_bounds_are_as_close_as_exact_ones": 2,
    "test_query::test_bounds_hold_of_the_source": 14,
    "test_query::test_what_cannot_be_answered_is_named": 2,
    "test_query_analysts::test_hostile_names_and_texts_are_names_and_texts": 8,
    "test_query_groups::test_groups_come_in_the_order_that_is_asked_for": 10,
    "test_query_hierarchies::test_another_hierarchy_is_found": 9,
    "test_query_hierarchies::test_on_every_engine": 2,
    "test_query_values::test_what_sql_rejects_or_rounds_is_refused": 2,
    "test_relational::test_in_place_counts_the_same": 4,
    "test_relational::test_init_finds_what_belongs_together": 3,
    "test_relational::test_keys_join_what_belonged_together": 3,
    "test_relational::test_the_proof_catches_what_the_writer_does_wrong": 4,
    "test_relational::test_verify_sees_what_was_changed": 56,
    "test_relational_bad_input::test_a_wrong_policy_is_refused_by_place": 3,
    "test_relational_bad_input::test_a_wrong_source_is_refused_by_place": 3,
    "test_relational_bad_input::test_databases_that_several_tables_are_not_released_from": 2,
    "test_relational_bad_input::test_fewer_people_than_k": 3,
    "test_relational_commands::test_a_wrong_join_is_refused": 6,
    "test_relational_models::test_a_visit_is_known_by_what_belongs_to_it": 6,
    "test_relational_models::test_a_wrong_promise_is_refused_by_place": 3,
    "test_relational_models::test_verify_sees_what_was_changed": 5,
    "test_relational_source::test_a_release_is_the_sources": 2,
    "test_relational_source::test_a_release_that_was_altered": 11,
    "test_relational_source::test_a_source_that_changed": 6,
    "test_relational_surrogates::test_equal_where_the_values_are": 2,
    "test_relational_surrogates::test_what_a_release_alone_shows_of_surrogates": 2,
    "test_relaxation::test_following_the_advice_succeeds": 13,
    "test_release::test_a_corrupted_release_is_refused": 39,
    "test_release::test_columns_of_masked_rows_are_kept_or_masked": 4,
    "test_release_files::test_a_file_of_other_bytes_is_refused": 6,
    "test_release_files::test_a_release_of_few_rows_is_verified": 5,
    "test_release_files::test_what_a_sqlite_file_defines_besides_is_refused": 6,
    "test_release_reader::test_every_label_stands_for_the_true_value": 92,
    "test_release_reader::test_stretches_of_names_run_in_the_order_that_is_released": 9,
    "test_replace::test_every_engine": 5,
    "test_replace::test_every_method": 24,
    "test_replace::test_files": 3,
    "test_replace::test_people_are_counted": 3,
    "test_replaced::test_a_release_that_cannot_be_compared_stops_nothing": 6,
    "test_report_engines::test_pages_are_the_same_on_every_engine": 2,
    "test_report_pages::test_what_is_no_page_is_not_replaced": 3,
    "test_ring::test_sets_of_columns_with_many_values": 6,
    "test_ring::test_what_is_no_ring_is_not_published": 10,
    "test_ring_judge::test_larger_releases": 12,
    "test_ring_judge::test_small_releases_match_by_match": 6,
    "test_ring_judge::test_what_the_judge_refuses_is_not_verified": 10,
    "test_risk_limits::test_suppressed_rows_are_of_the_sample_and_in_no_class": 2,
    "test_rounding::test_controlled_rounding_is_the_best_there_is": 3,
    "test_seams::test_a_fault_of_a_writer_is_found_and_nothing_published": 20,
    "test_seams::test_without_a_fault_they_are_published": 6,
    "test_secrets::test_nobody_learns_from_statements_and_logs_which_row_is_which": 35,
    "test_shadowing::test_a_column_of_a_strangers_type": 4,
    "test_shadowing::test_a_view_that_calls_a_function_whose_body_nobody_can_follow": 3,
    "test_small_jobs::test_what_was_touched_is_not_known": 3,
    "test_solution_space::test_a_page_that_cannot_be_written": 2,
    "test_solution_space::test_several_combinations": 4,
    "test_source_files::test_a_first_line_that_looks_like_a_row_is_refused_and_not_told": 4,
    "test_source_files::test_headers_are_taken_for_what_they_are": 4,
    "test_source_files::test_other_formats_are_recognized_and_refused": 10,
    "test_source_query::test_a_query_that_does_more_than_read_is_refused": 4,
    "test_spans::test_numbers_in_a_class_or_bucket_lie_apart": 8,
    "test_spark::test_tables_of_earlier_releases_go_and_others_stay": 5,
    "test_statistics::test_an_edited_release_is_refused": 11,
    "test_statistics::test_cells_are_those_of_plain_python": 8,
    "test_statistics::test_cells_that_become_0_are_no_rows": 3,
    "test_statistics_attack::test_analysts_who_subtract": 3,
    "test_statistics_attack::test_contributors_who_know_themselves": 2,
    "test_statistics_bad_input::test_too_few_people_are_all_hidden_and_it_is_said": 3,
    "test_statistics_noise::test_an_edited_release_is_refused": 6,
    "test_statistics_noise::test_noise_is_published_proved_and_tells_no_count": 6,
    "test_statistics_noise::test_noise_that_spends_more_than_is_promised_is_not_published": 3,
    "test_statistics_zeros::test_nobody_can_tell_where_nobody_is": 4,
    "test_stopped_server::test_the_next_run_does_what_one_could_not_whose_server_stopped": 3,
    "test_streams::test_no_command_fails_of_its_output": 3,
    "test_terminal::test_a_command_fits_80_columns": 33,
    "test_time_limit::test_limits_that_mean_nothing": 4,
    "test_time_limit::test_the_statement_that_runs_is_interrupted": 3,
    "test_traces::test_the_proof_catches": 7,
    "test_values::test_the_gate_finds_values_that_are_only_equal": 20,
    "test_values::test_verify_against_the_source_reads_what_a_file_has_another_type_for": 15,
    "test_values_postgres::test_columns_that_differ_in_case_alone": 2,
    "test_values_postgres::test_quasi_identifying_columns_that_cannot_be_compared_are_named": 6,
    "test_verify_facts::test_every_fact_that_is_edited_is_refused": 23,
    "test_verify_facts::test_labels_bounds_and_descriptions_that_cannot_be": 16,
    "test_verify_hybrid::test_regions_are_counted_as_they_are_seen": 2,
    "test_warehouse::test_models_for_other_warehouses_are_those_that_were_looked_at": 5,
    "test_warehouse::test_places_that_no_model_can_have": 4,
    "test_weak_promises::test_a_t_that_one_value_keeps_is_refused_by_every_method": 10,
    "test_weak_promises::test_weak_is_what_classes_of_one_value_keep": 2,
    "test_weak_promises::test_what_hides_little_is_warned_of": 12,
    "test_weights::test_a_weight_is_kept_and_known_by_its_role": 4,
}
"""Of tests with many cases, one in so many is run by default, counted for each engine by itself:
the first, and those at equal distances after it. The others are long."""

_STATEMENTS = "another case of this test runs the same statements there"
_PORTABLE = "minutes, of statements that are as portable as others"
SPARK = {
    "test_anatomy::test_a_table_in_the_way_of_an_extra_one_stays": (
        [],
        "test_spark looks at the names, which are all that differs",
    ),
    "test_buckets::test_on_every_engine": ([], "test_local makes a whole release of buckets"),
    "test_engines::test_every_kind_of_value_is_generalized_the_same": (["4"], _STATEMENTS),
    "test_engines::test_relocation_is_the_same": (
        [],
        "tests of the methods themselves relocate there",
    ),
    "test_engines::test_measures_are_the_same": ([], "a measure is some eighty statements"),
    "test_report_engines::test_pages_are_the_same_on_every_engine": (
        [],
        "a page is some hundred statements, which test_templates translates",
    ),
    "test_engines::test_search_and_suppression_are_the_same": (["mask"], _STATEMENTS),
    "test_engines::test_small_tables": (["rows0", "rows2"], _STATEMENTS),
    "test_expanded::test_a_view_on_every_target": ([], "test_local publishes a view there"),
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
    "test_over_time_servers::test_the_same_rows_are_held_back_everywhere": (
        [],
        "two releases and a search: minutes; their statements are as portable as all others",
    ),
    "test_replace::test_every_engine": (
        [],
        _PORTABLE,
    ),
    "test_relational_surrogates::test_equal_where_the_values_are": ([], _PORTABLE),
    "test_people::test_the_engines_hold_people_against_the_source": ([], _PORTABLE),
    "test_engines::test_a_second_run_replaces_the_first": ([], "test_spark replaces releases"),
    "test_relational::test_in_place_counts_the_same": (
        [],
        _PORTABLE,
    ),
    "test_engines::test_every_model_keeps_the_same_classes": (
        [],
        "classes are judged by one template, which test_templates translates",
    ),
    "test_apart_from_source::test_on_every_engine": (
        [],
        _PORTABLE,
    ),
    "test_judge::test_releases_of_every_method_pass": (
        [],
        _PORTABLE,
    ),
    "test_secrets::test_nobody_learns_from_statements_and_logs_which_row_is_which": (
        ["ring"],
        _STATEMENTS,
    ),
    "test_relational_source::test_a_release_is_the_sources": ([], _PORTABLE),
    "test_linked::test_every_engine_warns_of_the_pairs": ([], _PORTABLE),
    "test_order::test_rows_are_sorted_on_the_engines": (
        [],
        "the order of rows is not looked at there",
    ),
    "test_order::test_numbers_follow_from_rows_on_the_engines": ([], _PORTABLE),
    "test_query_hierarchies::test_on_every_engine": ([], "test_query asks a release there"),
}
"""Cases of Spark that are long: tests of all engines, with the ids that are not, and why. A
statement costs Spark a quarter of a second, so a case whose statements all run there in another
case adds minutes and no knowledge."""

_IN_FILES = "the other tests of its file show it in DuckDB"
ENOUGH = {
    "test_apart_from_source::test_on_every_engine": (["postgres"], _IN_FILES),
    "test_averages::test_every_engine": (["postgres"], _IN_FILES),
    "test_changes::test_every_engine": (["postgres"], _IN_FILES),
    "test_databases::test_a_killed_run_leaves_the_earlier_release": (
        ["mariadb"],
        "a file of SQLite is put in place as a whole",
    ),
    "test_engines::test_measures_are_the_same": (
        [],
        "test_databases and test_compare measure releases on servers",
    ),
    "test_judge::test_releases_of_every_method_pass": (
        ["duckdb"],
        "the judge reads rows, wherever they lie",
    ),
    "test_local::test_on_every_engine": (["postgres"], _IN_FILES),
    "test_order::test_rows_are_sorted_on_the_engines": (["postgres"], _IN_FILES),
    "test_over_time_servers::test_the_same_rows_are_held_back_everywhere": (
        ["sqlite"],
        "the other tests of ledgers run on PostgreSQL and MariaDB",
    ),
    "test_people::test_the_engines_hold_people_against_the_source": (["postgres"], _IN_FILES),
    "test_query_hierarchies::test_on_every_engine": (["postgres"], _IN_FILES),
    "test_relational::test_keys_join_what_belonged_together": (
        ["duckdb"],
        "test_relational_source follows keys on PostgreSQL",
    ),
    "test_relational_source::test_a_release_is_the_sources": (["postgres"], _IN_FILES),
    "test_relational_surrogates::test_equal_where_the_values_are": (["duckdb"], _PORTABLE),
    "test_report_engines::test_pages_are_the_same_on_every_engine": (
        ["postgres"],
        "test_report_pages looks at pages of releases in files",
    ),
    "test_statistics_engines::test_every_engine_changes_values_alike": (
        ["sqlite"],
        "values are changed in Python; the other tests of its file count on the other engines",
    ),
    "test_statistics_engines::test_every_engine_publishes_the_same_tables": (
        ["postgres", "mariadb", "sqlite"],
        "DuckDB is what they are held against",
    ),
    "test_statistics_ratios::test_every_engine_has_the_same_ratios": (
        ["sqlite", "mariadb"],
        "whose numbers differ most from DuckDB's",
    ),
    "test_statistics_waived::test_every_engine_publishes_what_is_waived": (
        ["sqlite", "postgres"],
        "which has NULL among labels, and a schema of its own",
    ),
    "test_usefulness_commands::test_every_engine_finds_the_same": (
        ["mariadb"],
        "whose numbers differ most from DuckDB's",
    ),
    "test_relational::test_in_place_counts_the_same": (["duckdb"], _PORTABLE),
    "test_engines::test_every_model_keeps_the_same_classes": (["postgres"], _IN_FILES),
}
"""Tests of all engines whose claim a fault would show on one or two of them: which these are, and
why the cases of others are long."""


def mark(items):
    """Mark the cases that are long, and of the others those that are quick."""
    seen: dict[object, int] = {}
    for item in items:
        name = test_name(item)
        key = name, engine_of(item)
        seen[name] = seen.get(name, -1) + 1
        seen[key] = seen.get(key, -1) + 1
        number = seen[name] if on_spark(item) else seen[key]
        if (
            not LONG.isdisjoint((name, f"{item.path.stem}::{item.name}"))
            or number % _sampled(item, name)
            or _spared(item, name)
            or _enough(item, name)
        ):
            item.add_marker(pytest.mark.long)
        names = (item.path.stem, name, f"{item.path.stem}::{item.name}")
        if not item.get_closest_marker("long") and not QUICK.isdisjoint(names):
            item.add_marker(pytest.mark.quick)


def _sampled(item, name):
    """Of how many cases of a test one is run by default."""
    marker = item.get_closest_marker("sampled")
    return marker.args[0] if marker else SAMPLED.get(name, 1)


def test_name(item):
    """A test as the tables name it."""
    return f"{item.path.stem}::{getattr(item, 'originalname', item.name)}"


def engine_of(item):
    """The engine that a case of a test of several engines runs on; None where its name says
    none."""
    words = item.callspec.id.lower().split("-") if hasattr(item, "callspec") else ()
    return next((word for word in words if word in {**ENGINES, **DATABASES}), None)


def on_spark(item):
    """Whether a case of a test of several engines runs on Spark."""
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    return "spark" in (parameters.get(name) for name in ("engine", "name", "place"))


def _spared(item, name):
    if name not in SPARK or not on_spark(item):
        return False
    kept, _ = SPARK[name]
    return item.callspec.id.removeprefix("spark").removeprefix("-") not in kept


def _enough(item, name):
    """Whether a case is of another engine than those on which a test is run by default."""
    engine = engine_of(item)
    return name in ENOUGH and engine is not None and engine not in ENOUGH[name][0]


def scheduler(config, log):
    """Give a worker one file after another; all cases of Spark are one worker's, as it starts once
    a worker, which takes seconds, and its first statements take longest."""
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid):
            file = super()._split_scope(nodeid)
            words_alone = file.endswith(("test_guide.py", "test_templates.py"))
            return "spark" if "spark" in nodeid.lower() and not words_alone else file

    return Scheduling(config, log)


def leave_out_long(config):
    """Deselect what is long, unless a selection or names of single tests are on the command
    line."""
    chosen = config.option
    if not (chosen.markexpr or chosen.keyword or any("::" in argument for argument in config.args)):
        chosen.markexpr = "not long"
