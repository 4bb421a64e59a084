"""Which open to-dos and questions a message settles, by its own words. Where it is not plain, they stay open."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from trimtab.core.messages import Role
from trimtab.core.summary import SummaryItem
from trimtab.distill.aspects import characters, keys, stem

_MAX_CHARS, _MAX_CLAUSES, _MAX_CLAUSE_CHARS = 16_000, 400, 400
_WORD = re.compile(r"[a-z][a-z'-]+")
_TICKED = re.compile(
    r"^[ \t]*(?:[-*+]|\d{1,2}[.)])?[ \t]*(?:\[[xX✓✔]\]|[✓✔✅☑])[ \t]*(?P<what>\S[^\n]{1,300})$|^[ \t]*(?:[-*+]|\d{1,2}[.)])?[ \t]*(?:~~(?P<struck>[^~\n]{2,300})~~)",
    re.M,
)
_CLAUSE = re.compile(r"\n|(?<=[.!?;])\s|[。！？；]|,\s|，|\s(?:and|but|so|then)\s|\s[-–—]+\s")
_PARTICIPLE = (
    r"(?:done|finished|completed?|written|sent|fixed|merged|added|updated|renewed|booked|paid|bought|called|checked|deployed|shipped|released|published|submitted|"
    r"filed|signed|uploaded|installed|implemented|cleaned|removed|deleted|created|prepared|resolved|closed|sorted|solved|drained|upgraded|tested|reviewed|rotated|refilled|"
    r"graded|ordered|scheduled|moved|migrated|told|asked|informed|notified|\w{3,}ed|made|built|taken|found|run|put|got|gotten|drawn|met|read|set up|ready|live|"
    r"in place|wrote|took|did|gave|drew|spoke|rang|chose|flew)"
)
_DONE = re.compile(
    r"^(?:done|finished|complete|completed|fixed|resolved|shipped)\s*[:：–-]\s*\w"
    rf"|\b(?:i|we|you|he|she|they)(?:'ve| have|'s| has)? (?:now |just |already |finally |also |both )*{_PARTICIPLE}\b"
    r"|^(?:just |already |finally |now )*(?:finished|completed|merged|fixed|sent|wrote|written|submitted|paid|booked|called|renewed|shipped|deployed|updated|added|implemented|filed|signed|checked|bought|uploaded|cleaned|rotated|refilled|"
    r"drained|upgraded|graded|ordered|told|moved|removed|created|done with|wrapped up|took care of|dealt with|sorted(?: out)?|ticked off)\b"
    rf"|\b(?:is|are|was|were|'s|has been|have been|got) (?:now |all |already |finally |both |successfully )*{_PARTICIPLE}\b"
    rf"|^[\w' -]{{2,40}} (?:is |are |all )?{_PARTICIPLE}[.!]*$"
    r"|\b(?:all|is|are) done\b|\b(?:took|taken) care of\b|\bwrapped up\b|\bout of the way\b|\bcrossed? off\b|\bno longer needed\b",
    re.I,
)
_DONE_ZH = re.compile(
    r"已经?完成|完成了|搞定|做完|弄好|弄完|办好|办完|处理[完好]|写[完好]|[\u4e00-\u9fff]完了|[\u4e00-\u9fff]好了|已经?[\u4e00-\u9fff]|[\u4e00-\u9fff]过了|(?:交|发|合并|提交|上线|续|付|签|买|订|换|改|修|补|核|盖|寄|更新)[\u4e00-\u9fff]{0,2}了$|不用(?:做|管|办)了|^完成[:：]"
)
# a thing that is not done, may be done, or was asked about
_OPEN = re.compile(
    r"\b(?:not|never|yet|once|when|until|before|after|if|will|would|should|shall|to be|need|needs|needed to|must|almost|nearly|half|partly|partially|"
    r"todo|to-do|still|remind|can|could|may|might|going to|want|wants|unless|assuming|hopefully|soon|tomorrow|next|gotta|have to|has to|let's|please)\b|n't\b|\?|'ll\b",
    re.I,
)
_OPEN_ZH = re.compile(
    r"还没|没有|没|未|尚|等|如果|要是|之后|以后|要先|先|再|才能|快|差不多|还要|还得|还需|需要|待|准备|打算|会|将|明天|回头|[吗？?]|别忘|记得|应该|得把|要把"
)
_TODO_WORDS = re.compile(
    r"\b(?:to-?do|remind me|still|remember|don't forget|gotta|got to|needs?|have to|has to|must|should|left|remaining|open points?|note to self|later|tomorrow|yet|first)\b|"
    r"还没|待办|回头|还得|还要|得先|需要|记着|提醒我|别忘|之前|月底|明天|先|得|要",
    re.I,
)
# words that say "done" of anything: then the to-do's own verb need not be said again
_FINISHED = re.compile(
    r"\b(?:done|finish(?:ed)?|complet(?:e|ed)|wrapp?ed up|taken? care|took care|sorted|dealt with|ready|out of the way|off the list)\b|[好完]了|搞定|完成",
    re.I,
)
_ANSWERING: frozenset[Role] = frozenset({"assistant"})


class _Done(Struct, frozen=True):
    """Key words and characters of something that is done, and whether "finished" or the like was said of it."""

    words: frozenset[str]
    marks: frozenset[str]
    finished: bool


def settled(text: str, active: Sequence[SummaryItem], role: Role) -> list[str]:
    """Ids of the active to-dos and questions that the message settles, in the order of `active`.

    A to-do: where a ticked line, or a clause that says that something is done, has two of its key words, or all of a
    short one's; one is enough where something is said to be finished and no other to-do could be meant. A question: by an answer of the assistant that does not ask back; the caller leaves those out where
    the message goes on with calls.
    """
    if not text.strip():
        return []
    closed: list[str] = []
    todos = [item for item in active if item.field == "todo" and item.status == "active"]
    for done in _done(text[:_MAX_CHARS]) if todos else ():
        sure = [item.item_id for item in todos if _is_of(item.text, done)]
        # a word in common is enough where it can mean no other
        likely = [] if sure else [item.item_id for item in todos if _may_be_of(item.text, done)]
        closed += sure or (likely if len(likely) == 1 else [])
    if role in _ANSWERING and not text.rstrip().endswith(("?", "？")):
        closed += [item.item_id for item in active if item.field == "question" and item.status == "active"]
    wanted = set(closed)
    return [item.item_id for item in active if item.item_id in wanted]


def _done(text: str) -> Iterator[_Done]:
    """Each thing that the text says is done."""
    for tick in _TICKED.finditer(text):
        what = tick["what"] or tick["struck"]
        yield _Done(keys(what), characters(what), finished=True)
    before = ""
    for _, part in zip(range(_MAX_CLAUSES), _CLAUSE.split(text), strict=False):
        clause = part.strip()
        if not clause or len(clause) > _MAX_CLAUSE_CHARS:
            continue
        if _DONE.search(clause) and not _OPEN.search(clause):
            yield _Done(keys(clause), characters(clause), _FINISHED.search(clause) is not None)
        elif _DONE_ZH.search(clause) and not _OPEN_ZH.search(clause):
            # 更新日志，写完了: the thing may stand in the clause before
            whole = clause if len(keys(clause)) > 2 or _OPEN_ZH.search(before) else f"{before}，{clause}"
            yield _Done(keys(whole), characters(whole), _FINISHED.search(clause) is not None)
        before = clause


def _is_of(todo: str, done: _Done) -> bool:
    wanted = keys(_TODO_WORDS.sub(" ", todo))
    shared = len(wanted & done.words)
    if not wanted:
        return False
    if any("\u4e00" <= key[0] <= "\u9fff" for key in wanted):
        # pairs overlap: three characters in common make two of them
        return (shared >= 2 and shared >= 0.3 * len(wanted)) or (shared == len(wanted) and len(characters(todo) & done.marks) >= 2)
    return (shared >= 2 and shared >= 0.4 * len(wanted)) or shared == len(wanted)


def _may_be_of(todo: str, done: _Done) -> bool:
    """ "Finished the changelog" for "write the changelog for 1.9": half of what is not the verb."""
    if not done.finished:
        return False
    bare = _TODO_WORDS.sub(" ", todo)
    if len(characters(bare) & done.marks) >= 3 and keys(bare) & done.words:
        return True
    verb = next((found[0] for found in _WORD.finditer(bare.lower()) if keys(found[0])), "")
    things = {key for key in keys(bare) - {stem(verb)} if key.isascii() and not key[0].isdigit()}
    return 0 < len(things) <= 2 * len(things & done.words)
