"""The fault table: what may go wrong, and the tests that hold what casebook does then. Each row has its tests."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]

ROWS: dict[int, tuple[str, tuple[str, ...]]] = {
    1: (
        "kill -9 in an import, an embedding or a decision",
        (
            "flows/transcripts/test_kill.py::test_thirty_kills_lose_nothing_and_double_nothing",
            "core/embedding/runtime/test_worker_kill.py::test_a_run_killed_again_and_again_loses_and_repeats_nothing",
            "core/store/test_store_processes.py::test_a_process_killed_at_any_step_leaves_whole_batches",
            "faults/test_kill_rounds.py::test_a_decision_stands_whole_or_not_at_all",
        ),
    ),
    2: (
        "hooks and the workbench write at once",
        (
            "core/store/test_store_processes.py::test_three_processes_lose_no_count",
            "core/errors/cases/test_concurrent.py::test_counters_are_exact_with_three_writers",
            "cli/hook/test_hook.py::test_three_hooks_at_once_lose_nothing",
            "flows/hook/test_hook_first.py::test_no_event_is_lost_and_none_counted_twice_when_the_time_runs_out",
            "flows/hook/test_hook_spool.py::test_a_casebook_that_stays_locked_keeps_what_was_told_for_the_next_hook",
        ),
    ),
    3: (
        "an idle reader keeps the WAL long",
        (
            "core/store/test_store_readonly.py::test_an_idle_reader_does_not_let_the_wal_grow",
            "tui/panes/errors/test_auto_refresh.py::test_an_idle_watch_lets_the_log_be_written_back",
        ),
    ),
    4: ("the disk is full", ("core/store/test_store_readonly.py::test_a_full_disk_loses_nothing",)),
    5: (
        "a read-only folder, file or home",
        (
            "faults/test_restricted_places.py::test_row_5_a_read_only_folder_is_searched_and_not_written",
            "faults/test_restricted_places.py::test_row_5_the_workbench_says_that_a_casebook_is_read_only",
            "core/store/test_store_readonly.py::test_a_folder_with_rows_in_the_wal_gives_those_too",
        ),
    ),
    6: (
        "no database, a truncated one, a garbage page",
        (
            "core/store/test_store_open.py::test_what_is_no_database_is_damaged_and_stays_as_it_is",
            "core/store/test_store_open.py::test_a_truncated_file_is_damaged_and_stays_as_it_is",
            "core/store/test_store_salvage.py::test_garbage_pages_cost_only_what_lay_on_them",
        ),
    ),
    7: (
        "a newer schema",
        (
            "core/store/test_store_open.py::test_a_newer_schema_opens_for_reading_and_says_which",
            "tui/shell/test_states.py::test_a_newer_casebook_is_shown_read_only_and_says_which_version",
        ),
    ),
    8: (
        "an older schema, a missing column, a killed migration",
        (
            "core/store/test_store_migrations.py::test_an_older_casebook_is_brought_up_to_date_after_a_backup",
            "core/store/test_store_checks.py::test_a_missing_column_or_table_is_named",
            "faults/test_kill_rounds.py::test_a_migration_leaves_the_old_schema_or_the_new_one",
        ),
    ),
    9: (
        "another program's database",
        ("core/store/test_store_open.py::test_another_programs_database_is_refused_by_name_of_what_it_is",),
    ),
    10: (
        "another model, another dimension",
        (
            "core/embedding/runtime/test_worker.py::test_a_model_of_another_size_has_a_table_of_its_own",
            "core/errors/retrieval/test_vector_scenarios.py::test_no_model_and_vectors_of_another_model_are_said",
        ),
    ),
    11: (
        "NaN, infinite and zero vectors, orphan ids",
        (
            "core/embedding/index/test_vectors.py::test_an_unusable_vector_is_named",
            "core/embedding/runtime/test_worker.py::test_an_unusable_vector_is_refused",
            "core/errors/retrieval/test_vector_scenarios.py::test_a_stored_vector_that_is_no_number_never_gets_through",
            "core/embedding/index/test_index.py::test_an_item_that_is_gone_is_not_found",
        ),
    ),
    12: (
        "no vector extension, no model, no service",
        (
            "core/store/test_store_vec.py::test_a_missing_extension_is_a_fault",
            "core/errors/retrieval/test_vector_scenarios.py::test_a_broken_model_costs_the_text_tiers_nothing",
            "cli/hook/test_vectors.py::test_a_hanging_service_costs_the_agent_no_answer_of_the_text_tiers",
        ),
    ),
    13: (
        "damaged shadow tables of the vector index",
        (
            "core/embedding/index/test_consistency.py::test_each_loss_is_named_and_mended_without_embedding",
            "core/embedding/index/test_consistency.py::test_doctor_finds_and_repairs_it",
        ),
    ),
    14: (
        "a stale WAL beside a restored database",
        (
            "core/store/test_store_backups.py::test_restore_over_a_damaged_file_moves_its_stale_wal_away_too",
            "core/store/test_store_open.py::test_a_wal_beside_a_damaged_file_is_not_written_into_it",
        ),
    ),
    15: (
        "malformed and half-written lines of a transcript",
        (
            "flows/transcripts/test_faults.py::test_broken_lines_are_listed_with_their_numbers",
            "flows/transcripts/test_rows.py::test_a_half_written_last_line_is_read_when_it_is_whole",
        ),
    ),
    16: (
        "a line of 50 MB",
        (
            "core/transcripts/test_transcript_lines.py::test_a_huge_line_takes_no_more_memory_than_the_cap",
            "flows/transcripts/test_faults.py::test_a_line_beyond_the_cap_is_skipped_and_the_rest_is_read",
        ),
    ),
    17: (
        "invalid UTF-8, NUL, lone surrogates",
        (
            "tui/terminal/test_invalid_bytes.py::test_an_invalid_byte_is_replaced",
            "cli/test_arguments.py::test_an_argument_that_is_not_utf8_is_refused_and_nothing_is_stored",
            "core/transcripts/test_read_claude_code.py::test_lone_surrogates_huge_numbers_and_raw_controls_are_still_read",
            "core/text/test_redact.py::test_lone_surrogates_become_the_replacement_sign",
            "cli/hook/test_hook.py::test_hostile_input_ends_well_stores_nothing_and_leaves_one_log_line",
        ),
    ),
    18: (
        "a second import, resumed sessions",
        (
            "flows/transcripts/test_rows.py::test_a_second_import_writes_nothing_at_all",
            "flows/transcripts/test_rows.py::test_a_resumed_session_repeats_nothing_and_names_its_original",
        ),
    ),
    19: (
        "terminal escapes in stored text",
        (
            "tui/terminal/test_terminal.py::test_no_foreign_escape_reaches_the_terminal_and_it_is_left_whole",
            "core/text/test_hostile.py::test_nothing_dangerous_comes_out",
        ),
    ),
    20: (
        "markup in any widget",
        (
            "tui/shell/test_hostile.py::test_every_text_is_shown_as_it_is_in_the_list",
            "tui/shell/test_hostile.py::test_every_text_is_shown_as_it_is_in_a_toast",
            "tui/shell/test_hostile.py::test_a_click_on_hostile_markup_does_nothing",
        ),
    ),
    21: (
        "bidi controls, zero-width and combining characters",
        (
            "core/text/test_visible.py::test_every_unseen_sign_is_replaced",
            "tui/shell/test_hostile.py::test_every_text_is_shown_as_it_is_in_each_part_of_a_case",
        ),
    ),
    22: (
        "hostile text on the clipboard",
        (
            "tui/shell/test_hostile.py::test_every_text_is_clean_on_the_clipboard",
            "core/text/test_hostile.py::test_payloads_of_terminal_commands_are_cleaned_away",
        ),
    ),
    23: ("LIKE wildcards", ("core/errors/retrieval/test_search.py::test_like_wildcards_are_literal",)),
    24: (
        "SQL in a text",
        (
            "core/errors/retrieval/test_search.py::test_no_text_breaks_search_record_or_browse",
            "cli/errors/test_commands.py::test_hostile_texts_act_on_nothing",
        ),
    ),
    25: (
        "FTS5 syntax in a query",
        (
            "core/lexical/test_lexical.py::test_no_text_is_a_syntax_error",
            "core/lexical/test_lexical.py::test_every_word_is_only_a_word",
        ),
    ),
    26: (
        "text that makes a pattern slow",
        (
            "core/test_growth.py::test_no_pattern_takes_square_time",
            "core/test_growth.py::test_no_reader_takes_square_steps",
        ),
    ),
    27: (
        "links, pipes, devices and paths out of a folder",
        (
            "core/library/ingest/test_links.py::test_a_link_out_of_the_folder_is_left_out_and_named",
            "core/store/test_store_parts.py::test_a_link_that_was_planted_is_not_followed",
            "flows/transcripts/test_faults.py::test_pipes_and_devices_are_never_waited_for",
            "core/transcripts/test_transcript_files.py::test_discover_follows_no_link_out_and_skips_what_is_no_file",
            "core/base/test_atomic.py::test_a_link_is_replaced_not_followed",
            "core/base/test_atomic.py::test_nothing_is_replaced_unasked",
        ),
    ),
    28: (
        "paths named inside a transcript",
        ("flows/transcripts/test_faults.py::test_paths_inside_a_transcript_are_never_opened",),
    ),
    29: (
        "YAML and TOML that explode",
        (
            "core/library/parse/test_chunks.py::test_frontmatter_that_cannot_be_read_is_told_and_kept_as_text",
            "core/base/test_config.py::test_any_text_is_either_settings_or_a_fault_of_its_own_kind",
        ),
    ),
    30: (
        "secrets",
        (
            "core/text/test_redact.py::test_secrets_are_gone",
            "core/text/test_redact.py::test_lookalikes_are_left_alone",
            "faults/test_secrets_end_to_end.py::test_row_30_nothing_that_is_stored_holds_a_secret",
            "faults/test_secrets_end_to_end.py::test_row_30_no_export_holds_a_secret",
            "faults/test_secrets_end_to_end.py::test_row_30_nothing_that_is_printed_holds_a_secret",
        ),
    ),
    31: (
        "orders to the agent inside a fix",
        ("flows/hook/test_hook_live.py::test_hostile_words_in_a_fix_stay_inside_the_quotation",),
    ),
    32: (
        "triggers and views in a database from elsewhere",
        (
            "core/store/test_store_seed.py::test_triggers_and_foreign_functions_never_run_and_the_file_stays_as_it_is",
            "core/store/test_store_schema_guard.py::test_what_casebook_did_not_write_is_refused",
            "core/store/test_store_schema_guard.py::test_restore_refuses_it_and_replaces_it",
        ),
    ),
    33: (
        "files and folders that others can read",
        (
            "core/store/test_store_open.py::test_a_new_casebook_and_its_folder_belong_to_their_owner_alone",
            "core/base/test_private_folders.py::test_so_they_are_when_a_hook_comes_first",
            "core/base/test_log.py::test_a_line_is_json_redacted_and_only_its_owners",
            "core/base/test_atomic.py::test_a_file_is_whole_and_its_owners",
        ),
    ),
    34: (
        "a clock that jumps, impossible time stamps",
        (
            "faults/test_restricted_places.py::test_row_34_a_wrong_clock_loses_and_reorders_nothing",
            "core/text/test_timestamp.py::test_impossible_times_neither_head_nor_end_the_list",
        ),
    ),
    35: (
        "kill -9 while a file is written",
        (
            "faults/test_kill_rounds.py::test_a_copy_has_its_name_only_when_it_is_whole",
            "core/store/test_store_parts.py::test_a_killed_backup_leaves_nothing_after_the_next",
            "faults/test_kill_rounds.py::test_an_export_and_the_settings_are_the_old_or_the_new_ones",
        ),
    ),
    36: (
        "a hook that gets no, half or too much input",
        (
            "cli/hook/test_hook.py::test_hostile_input_ends_well_stores_nothing_and_leaves_one_log_line",
            "cli/hook/test_hook.py::test_an_agent_that_never_closes_its_pipe_does_not_keep_it",
            "flows/hook/test_hook_payload.py::test_what_is_no_payload_is_refused_with_the_reason",
        ),
    ),
    37: (
        "Ctrl-C, resize and hangup",
        (
            "faults/test_terminal_signals.py::test_row_37_keys_work_on_through_resizes_and_ctrl_c",
            "faults/test_terminal_signals.py::test_row_37_a_signal_closes_the_casebook",
            "tui/shell/test_crash.py::test_a_terminal_that_is_gone_ends_it",
        ),
    ),
}


@cache
def names_in(file: str) -> frozenset[str]:
    """The names of the tests that a file defines."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(node.name for node in ast.parse((TESTS / file).read_text("utf-8")).body if isinstance(node, kinds))


def test_every_row_is_here() -> None:
    assert list(ROWS) == list(range(1, 38))


@pytest.mark.parametrize("row", ROWS)
def test_a_row_names_tests_that_exist(row: int) -> None:
    fault, tests = ROWS[row]
    assert fault
    assert tests
    for test in tests:
        file, _, name = test.partition("::")
        assert name in names_in(file), test
