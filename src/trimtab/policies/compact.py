"""Past the trigger, older history becomes a summary and leaves the prompt [C3]."""

from trimtab.core.view import MOST_OF_TRIGGER, Verdict, View, keep_at_least
from trimtab.settings import Settings


class CompactPolicy:
    name = "compact"
    reshapes = True

    def recalls(self, settings: Settings, level: int) -> bool:
        return bool(settings.recall)

    def decide(self, view: View) -> Verdict:
        if view.history_tokens <= view.budget.trigger_tokens:
            return Verdict()
        return Verdict(keep_from=compaction_start(view, view.settings.overlap_rounds))


def compaction_start(view: View, rounds: int) -> int:
    """Where the kept part begins: what fits the target beside a full summary, and at least `rounds` rounds as
    long as these leave room below the trigger."""
    summary = view.budget.summary_cap_tokens(view.settings.summary_max_tokens)
    room = max(0, view.budget.target_tokens - summary)
    most = max(room, int(view.budget.trigger_tokens * MOST_OF_TRIGGER) - summary)
    return keep_at_least(view.units(), room, rounds, most)
