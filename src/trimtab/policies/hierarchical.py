"""Hot (the last rounds, verbatim), warm (summary), cold (everything, recalled on demand) [C5]."""

from trimtab.core.view import Verdict, View, keep_rounds
from trimtab.policies.compact import compaction_start
from trimtab.settings import Settings

# the hot part grows to twice its rounds and is cut back to them: one break of the prefix in ten rounds
GROWTH = 2


class HierarchicalPolicy:
    name = "hierarchical"
    reshapes = True

    def recalls(self, settings: Settings, level: int) -> bool:
        return settings.recall is not False

    def decide(self, view: View) -> Verdict:
        rounds = view.settings.hot_rounds
        full = view.history_tokens > view.budget.trigger_tokens
        many = view.live_rounds > GROWTH * rounds
        if not full and not many:
            return Verdict()
        start = keep_rounds(view.units(), rounds)
        if full:
            start = max(start, compaction_start(view, rounds))
        return Verdict(keep_from=start, reason="rounds" if many else "trigger")
