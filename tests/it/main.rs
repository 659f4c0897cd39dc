//! Tests of the whole product, through its program and its library.

#![allow(dead_code, clippy::unwrap_used, clippy::float_cmp, unreachable_pub, missing_docs, reason = "tests")]

mod a_folder_of_images_becomes_findings;
mod answers_are_erased_on_request;
mod backups_are_whole;
mod boards_are_kept;
mod checks_find_what_runs_refuse;
#[cfg(feature = "media")]
mod clips_and_texts_are_judged;
mod closed_pipes_end_the_program_quietly;
mod cohorts_give_intervals_of_the_published_width;
mod command_line;
mod crowd_answers_become_tidy_scores;
mod every_number_of_a_report_is_of_the_findings;
mod example_studies_are_checked_and_simulated;
mod extraction_equals_onnxruntime;
mod fid_equals_python_packages;
mod figures_go_into_papers;
mod files_are_recognized;
mod findings_are_exported_as_one_table;
mod findings_fit_one_screen;
mod folders_are_taken_as_they_are;
#[cfg(feature = "media")]
mod folders_of_clips_and_texts;
mod generated_specs_run;
mod human_judgments_give_published_findings;
mod imagenhub_tables_give_published_scores;
mod imports_name_every_fault;
mod intervals_cover_the_truth;
mod items_are_matched_as_they_are_named;
mod items_have_levels;
mod judged_texts_are_understood;
mod killed_page_simulations_resume;
mod killed_recruiting_resumes;
mod killed_runs_resume;
mod methods_describe_the_study;
mod metrics_of_feature_files;
mod metrics_stand_beside_scores;
mod mixed_models_match_the_study;
mod new_studies_run;
mod one_model_meets_each_other;
mod packages_are_described_for_other_programs;
mod packages_hold_no_rater_keys;
mod places_are_those_of_the_platform;
mod plans_agree_with_simulated_studies;
mod plans_of_equal_models_name_no_pair;
mod plans_predict_real_studies;
mod preferences_are_exported_for_training;
mod preparing_is_shown_and_stopped;
mod presets_agree_with_theory;
mod programs_call_commands;
mod published_ratings_give_published_tables;
mod raters_have_levels;
mod raters_judge_all_levels;
mod ratings_made_elsewhere_become_tidy_scores;
mod read_only_studies_are_read;
mod recruiting_from_plan_to_close;
mod recruiting_is_directed_by_commands;
mod recruiting_is_tried_with_fakes;
mod recruiting_specs_are_checked;
mod reports_show_the_findings;
mod restored_copies_pay_nothing;
mod schemas_are_current;
mod scores_are_set_beside_metrics;
mod servers_report_faults;
mod slow_clients_lock_nobody_out;
mod spec_faults;
mod spreadsheets_compute_no_cell;
mod staircase_command_equals_reference;
mod stored_studies_stay_usable;
mod strangers_cannot_close_a_study;
mod studies_are_exported_as_tables;
mod studies_are_registered_beforehand;
mod studies_are_served;
mod synthetic_raters_visit_the_page;
mod tables_are_aggregated_as_they_are;
mod tables_are_read_as_people_bring_them;
mod tables_come_from_spreadsheets;
mod ten_minutes_end_in_a_pilot;
mod terminal_is_current;
mod terminals_are_fitted_and_never_commanded;
mod text_towers_equal_onnxruntime;
mod texts_are_translated;
mod the_book_is_followed;
mod the_first_minute;
mod the_same_seed_gives_the_same_bytes;
mod two_operators_pay_once;
mod unfinished_studies_say_so;
mod values_that_refer_to_others_are_checked;
mod what_raters_write_is_released_without_ids;

#[path = "support/archives.rs"]
mod archives;
#[path = "support/features.rs"]
mod features;
#[path = "support/folders.rs"]
mod folders;
#[path = "support/killing.rs"]
mod killing;
#[cfg(feature = "onnx")]
#[path = "support/models.rs"]
mod models;
#[path = "support/program.rs"]
mod program;
#[path = "support/proof.rs"]
mod proof;
#[cfg(all(unix, feature = "fakes", feature = "mturk"))]
#[path = "support/recruiting.rs"]
mod recruiting;
#[path = "support/served.rs"]
mod served;
#[cfg(feature = "postgres")]
#[path = "../../hype-store/tests/it/support/server.rs"]
mod server;
#[cfg(feature = "postgres")]
#[path = "support/stored.rs"]
mod stored;
#[path = "support/studies.rs"]
mod studies;
#[path = "support/tidy.rs"]
mod tidy;
#[path = "support/typeset.rs"]
mod typeset;
