"""Entries and the quotes they rest on: aligned to their sessions, reviewed by a person, promoted or not.

Each name is loaded when it is first asked for: an import that finds no entries needs none of it.
"""

# pyright: reportUnusedImport=false

from __future__ import annotations

from typing import TYPE_CHECKING

from core.base.lazy import lazy_names

if TYPE_CHECKING:
    from core.evidence.entries import EntriesAdded, EntryPage, EntryRow, add_entries, list_entries
    from core.evidence.events import Event, read_events, replay_events, sessions_to_align
    from core.evidence.promotion import (
        BlockedEntry,
        NamedEntry,
        Promoted,
        PromotedMany,
        Promotion,
        demote,
        promote,
        promote_many,
        promotion_of,
        ready_entries,
    )
    from core.evidence.realign import SessionAligned, align_session
    from core.evidence.review.decisions import (
        Decided,
        DecidedMany,
        Fit,
        Place,
        accept,
        accept_all,
        adjust,
        adjusted,
        choices,
        choose,
        current,
        fit_of,
        reject,
        reject_all,
        take_words,
    )
    from core.evidence.review.detail import (
        Choice,
        Entry,
        MessageText,
        Quote,
        Seen,
        find_in_session,
        look_in,
        rarest_words,
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
    from core.evidence.rows import StoredMessages, session_named

_LATER = {
    "entries": "EntriesAdded EntryPage EntryRow add_entries list_entries",
    "events": "Event read_events replay_events sessions_to_align",
    "promotion": (
        "BlockedEntry NamedEntry Promoted PromotedMany Promotion demote promote promote_many promotion_of ready_entries"
    ),
    "realign": "SessionAligned align_session",
    "review.decisions": (
        "Decided DecidedMany Fit Place accept accept_all adjust adjusted choices choose current fit_of reject "
        "reject_all take_words"
    ),
    "review.detail": (
        "Choice Entry MessageText Quote Seen find_in_session look_in rarest_words show_entry show_message show_place "
        "show_quote"
    ),
    "review.queue": (
        "Counts OPEN QuoteFilters QuotePage QuoteRow count_quotes count_ready count_sessions count_types "
        "list_quotes next_near_miss next_problem rank_of_quote"
    ),
    "rows": "StoredMessages session_named",
}
__getattr__, __all__ = lazy_names(__name__, _LATER)
