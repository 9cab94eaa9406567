"""What people decide about fixes and cases: acts that can be undone, the queue, what was typed, the history."""

from core.errors.cases.undo import TakenBack, bring_back, take_back, take_back_several
from core.errors.curation.autosave import (
    Kept,
    Scratch,
    ThreeWay,
    Unsaved,
    Writer,
    discard_scratch,
    keep_scratch,
    kept_scratches,
    scratch_folder,
    take_along,
    three_way,
    unsaved_texts,
)
from core.errors.curation.case_diff import Difference, Unlike, unlike
from core.errors.curation.decisions import edit, mark_noise, reject, unmark_noise, verify
from core.errors.curation.fix_input import Written, tags_of, written_of
from core.errors.curation.history import Changed, ChangedQuote, History, case_history, whole_history
from core.errors.curation.merging import Fixes, MergePreview, fixes_of_merge, merge, preview_merge
from core.errors.curation.optimistic_lock import Conflict, Seen, look, moved_to, seen_of, seen_with
from core.errors.curation.similar_fixes import Candidate, apply_also
from core.errors.curation.splitting import shared_fixes, split
from core.errors.curation.transaction import Curated, person
from core.errors.curation.triage import QueuePage, count_waiting, is_part_of, next_after, place_of, triage_queue

__all__ = [
    "Candidate",
    "Changed",
    "ChangedQuote",
    "Conflict",
    "Curated",
    "Difference",
    "Fixes",
    "History",
    "Kept",
    "MergePreview",
    "QueuePage",
    "Scratch",
    "Seen",
    "TakenBack",
    "ThreeWay",
    "Unlike",
    "Unsaved",
    "Writer",
    "Written",
    "apply_also",
    "bring_back",
    "case_history",
    "count_waiting",
    "discard_scratch",
    "edit",
    "fixes_of_merge",
    "is_part_of",
    "keep_scratch",
    "kept_scratches",
    "look",
    "mark_noise",
    "merge",
    "moved_to",
    "next_after",
    "person",
    "place_of",
    "preview_merge",
    "reject",
    "scratch_folder",
    "seen_of",
    "seen_with",
    "shared_fixes",
    "split",
    "tags_of",
    "take_along",
    "take_back",
    "take_back_several",
    "three_way",
    "triage_queue",
    "unlike",
    "unmark_noise",
    "unsaved_texts",
    "verify",
    "whole_history",
    "written_of",
]
