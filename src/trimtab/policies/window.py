"""The last N rounds [C2]. Older ones leave in blocks, so that the provider's prefix cache survives most requests."""

from trimtab.core.view import Verdict, View, keep_rounds
from trimtab.settings import Settings

TOOL_ROUNDS = 5
CHAT_ROUNDS = 20


def rounds_kept(view: View) -> int:
    if view.settings.window_rounds is not None:
        return view.settings.window_rounds
    return TOOL_ROUNDS if view.calls_tools else CHAT_ROUNDS


class WindowPolicy:
    name = "window"
    reshapes = True

    def recalls(self, settings: Settings, level: int) -> bool:
        return bool(settings.recall)

    def decide(self, view: View) -> Verdict:
        rounds = rounds_kept(view)
        if view.live_rounds <= rounds:
            return Verdict(summary=False)
        units = view.units()
        start = keep_rounds(units, rounds)
        eligible_tokens = sum(unit.tokens for unit in units[:start] if not unit.stays)
        # twice the rounds: with small messages the watermark alone would let the window grow without end
        due = (
            eligible_tokens >= view.clear_at_least_tokens
            or view.live_rounds >= 2 * rounds
            or view.history_tokens > view.budget.trigger_tokens
        )
        if not due or start == 0:
            return Verdict(summary=False)
        return Verdict(keep_from=start, reason="left_window", summary=False)
