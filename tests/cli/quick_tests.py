"""Which tests of real CLIs belong to the quick tier: for each CLI one of each kind. All others are `long`.

Each CLI works headless, in a terminal with a second instruction, resumed, asking, cancelled; the whole product drives
each of them; an agent's heartbeat calls a tool; each permission mode keeps its promise for one list of tools.
"""

from __future__ import annotations

QUICK = frozenset(
    {
        # headless, and a session that continues
        "test_it_writes_a_file_reports_every_step_and_remembers_when_resumed",
        "test_it_writes_a_file_and_a_session_in_a_new_process_remembers",  # ACP
        # in a terminal
        "test_it_answers_stays_open_and_takes_a_second_instruction",
        "test_a_session_that_was_left_continues_and_remembers",
        # asking, headless and in a terminal, through the whole product
        "test_an_allowed_command_is_carried_out",
        "test_a_denied_command_is_not",
        "test_the_record_says_what_happened_when_claudes_box_is_answered_before_the_panel",
        "test_a_question_waits_for_a_person_whatever_instruction_follows",
        # cancelled
        "test_a_terminated_run_is_stopped_not_crashed",
        "test_a_further_instruction_in_the_middle_of_its_answer",
        # the whole product
        "test_an_instruction_in_a_terminal_edits_the_document_and_the_next_one_goes_into_the_same_cli",
        "test_headless_it_answers_with_usage_cost_and_the_session",
        "test_claude_code_edits_the_open_document_and_takes_the_next_instruction",
        "test_a_heartbeat_is_carried_through",
        "test_an_answer_comes_with_its_tool_calls_and_its_cost",
        "test_a_person_behind_a_hub_confirms_the_folder_and_answers_and_no_program_does",
        # Cabinet's own tools: each group by one CLI
        "test_every_tool_works_and_a_wrong_call_is_answered_with_a_sentence",
        "test_every_tool_for_notebooks_works_and_a_cell_runs_in_the_kernel",
        # isolated
        "test_it_changes_a_file_and_remembers_in_a_sandbox",
        # of these tables, what their own marks leave
        "test_a_permission_mode_keeps_its_promise_whatever_the_list_of_tools",
        "test_a_second_instruction_in_the_terminal_ends_as_the_first_one_did",
        # nothing that a CLI is started with has gone
        "test_the_tested_version_lists_every_option_that_it_is_started_with",
    }
)
REASON = "the quick tier has one test of each kind for each CLI"
