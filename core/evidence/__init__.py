"""Entries and the quotes they rest on: aligned to their sessions, reviewed by a person, promoted or not.

Each name is loaded when it is first asked for: an import that finds no entries needs none of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.base.lazy_names import lazy_names

if TYPE_CHECKING:
    from core.evidence.entries import EntriesAdded, add_entries
    from core.evidence.entry_list import EntryPage, EntryRow, list_entries
    from core.evidence.event_replay import replay_events
    from core.evidence.events import Event, read_events
    from core.evidence.messages import StoredMessages, session_named
    from core.evidence.promotion import Promoted, Promotion, demote, promote, promotion_of
    from core.evidence.promotions import BlockedEntry, NamedEntry, PromotedMany, promote_many, ready_entries
    from core.evidence.realign import SessionAligned, align_session
    from core.evidence.realign_queue import sessions_to_align
    from core.evidence.review.acceptance_rules import Fit, Place, fit_of
    from core.evidence.review.bulk import DecidedMany, accept_all, reject_all
    from core.evidence.review.decisions import Decided, accept, adjust, choices, choose, current, reject, take_words
    from core.evidence.review.detail import (
        Choice,
        Entry,
        MessageText,
        Quote,
        show_entry,
        show_message,
        show_place,
        show_quote,
    )
    from core.evidence.review.queue import (
        OPEN,
        Counts,
        QuoteFilters,
        QuotePage,
        QuoteRow,
        count_quotes,
        count_ready,
        count_sessions,
        count_types,
        list_quotes,
        next_near_miss,
        next_problem,
        rank_of_quote,
    )
    from core.evidence.review.session_search import Seen, find_in_session, look_in
    from core.evidence.review.span_edit import adjusted

_LATER = {
    "review.decisions": ("Decided", "accept", "adjust", "choices", "choose", "current", "reject", "take_words"),
    "realign_queue": ("sessions_to_align",),
    "entries": ("EntriesAdded", "add_entries"),
    "entry_list": ("EntryPage", "EntryRow", "list_entries"),
    "events": ("Event", "read_events"),
    "review.acceptance_rules": ("Fit", "Place", "fit_of"),
    "review.session_search": ("Seen", "find_in_session", "look_in"),
    "review.bulk": ("DecidedMany", "accept_all", "reject_all"),
    "messages": ("StoredMessages", "session_named"),
    "promotions": ("BlockedEntry", "NamedEntry", "PromotedMany", "promote_many", "ready_entries"),
    "promotion": ("Promoted", "Promotion", "demote", "promote", "promotion_of"),
    "realign": ("SessionAligned", "align_session"),
    "event_replay": ("replay_events",),
    "review.queue": (
        "OPEN",
        "Counts",
        "QuoteFilters",
        "QuotePage",
        "QuoteRow",
        "count_quotes",
        "count_ready",
        "count_sessions",
        "count_types",
        "list_quotes",
        "next_near_miss",
        "next_problem",
        "rank_of_quote",
    ),
    "review.detail": (
        "Choice",
        "Entry",
        "MessageText",
        "Quote",
        "show_entry",
        "show_message",
        "show_place",
        "show_quote",
    ),
    "review.span_edit": ("adjusted",),
}
__getattr__ = lazy_names(__name__, _LATER)

__all__ = [
    "OPEN",
    "BlockedEntry",
    "Choice",
    "Counts",
    "Decided",
    "DecidedMany",
    "EntriesAdded",
    "Entry",
    "EntryPage",
    "EntryRow",
    "Event",
    "Fit",
    "MessageText",
    "NamedEntry",
    "Place",
    "Promoted",
    "PromotedMany",
    "Promotion",
    "Quote",
    "QuoteFilters",
    "QuotePage",
    "QuoteRow",
    "Seen",
    "SessionAligned",
    "StoredMessages",
    "accept",
    "accept_all",
    "add_entries",
    "adjust",
    "adjusted",
    "align_session",
    "choices",
    "choose",
    "count_quotes",
    "count_ready",
    "count_sessions",
    "count_types",
    "current",
    "demote",
    "find_in_session",
    "fit_of",
    "list_entries",
    "list_quotes",
    "look_in",
    "next_near_miss",
    "next_problem",
    "promote",
    "promote_many",
    "promotion_of",
    "rank_of_quote",
    "read_events",
    "ready_entries",
    "reject",
    "reject_all",
    "replay_events",
    "session_named",
    "sessions_to_align",
    "show_entry",
    "show_message",
    "show_place",
    "show_quote",
    "take_words",
]
