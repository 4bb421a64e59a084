"""No management: everything stays as long as it fits (for a single question)."""

from trimtab.core.view import Verdict, View
from trimtab.settings import Settings


class NonePolicy:
    name = "none"
    reshapes = False

    def recalls(self, settings: Settings, level: int) -> bool:
        return bool(settings.recall)

    def decide(self, view: View) -> Verdict:
        return Verdict(clear=False, summary=False)
