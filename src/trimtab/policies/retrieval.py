"""Few recent rounds; everything older is recalled turn by turn when the input asks for it [C4]."""

from trimtab.core.view import Verdict, View, keep_at_least, keep_rounds
from trimtab.settings import Settings


class RetrievalPolicy:
    name = "retrieval"
    reshapes = True

    def recalls(self, settings: Settings, level: int) -> bool:
        return settings.recall is not False

    def decide(self, view: View) -> Verdict:
        rounds = view.settings.recent_rounds
        full = view.history_tokens > view.budget.trigger_tokens
        many = view.live_rounds >= 2 * rounds
        if not full and not many:
            return Verdict(summary=False)
        units = view.units()
        start = keep_rounds(units, rounds)
        if full:
            start = max(start, keep_at_least(units, view.budget.target_tokens, 1, view.budget.target_tokens))
        return Verdict(keep_from=start, reason="rounds" if many else "trigger", summary=False)
