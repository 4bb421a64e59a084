"""What a result tells of its call: that it failed, and how; that what is asked for is still under way.

Results come from any tool in any words. What is looked for are the words that languages say it with, in English, Chinese,
German, Spanish, French and Japanese: of failure and of inability, of not yet and of still.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from trimtab.steer.canonical import plain_text, result_digest, words_in
from trimtab.steer.seen import values_of

_ERROR_NAME = re.compile(
    r"(?<![\w.])([\w.]*\w(?:Error|Exception|Timeout))\b|\b(?:exit(?:ed)?(?: with)?(?: code| status)?|return code)[ :=]+(-?[1-9]\d{0,4})\b"
    r"|\b(?:http |status(?: code)?[ :=]+)([45]\d\d)\b",
    re.I,
)
# in lower case
_FAILURE = re.compile(
    r"\b(?:error|fail(?:ed|ure|s)?\b|exception|fatal|panic|den(?:ied|y)|forbidden|unauthori[sz]ed|refus|reject|declin|abort|invalid|illegal|malformed|"
    r"mismatch|conflict|corrupt|crash|expired|time[ds]?[ -]?out|unavailable|unreachable|unresolved|unknown|unrecogni[sz]ed|unsupported|"
    r"unexpected|unable|undefined|violat|insufficient|exceed|overflow|blocked|locked|missing|required|killed|broken|bad (?:request|gateway)|too (?:many|large|long|few|small|big|late)|"
    r"out of (?:memory|range|bounds|space|stock|quota)|already exists|already (?:taken|in use|booked|used|closed|been)|no such|no longer|went wrong|busy|unprocessable|disconnect|disabled|not authori[sz]ed|would not|expected|covered by|obscured|no match|none (?:found|left)|no \w+ (?:left|available|exists?)|sorry|unsuccessful|not (?:saved|sent|done|installed|enough|yet available|have)|(?:no|without|lacks?|need) (?:permission|access|rights?)|n[o']t (?:found|allowed|permitted|supported|available|exist|match|valid|open|reach|resolve|recogni[sz]ed)|"
    r"could ?n[o']t|can(?:no|')t|can not|was ?n[o']t able|must (?:be|not|match)|should be|limit (?:reached|hit)|rate limit|quota)"
    r"|[45]\d\d (?:bad|not|internal|service|too|unauth|forbid|conflict|gone)|#(?:ref|n/a|value|name|div/0)\b"
    r"|\b(?:fehler|fehlgeschlagen|gescheitert|fehlerhaft|schwerwiegend|leider|ung(?:ü|ue)ltig|unzul(?:ä|ae)ssig|verweigert|abgelehnt|abgelaufen|abgebrochen|zeit(?:ü|ue)berschreitung|(?:ü|ue)berschritten|gesperrt|fehlt|fehlend|unbekannt|unerwartet)"
    r"|\b(?:nicht|kein\w*)\b.{0,80}(?:gefunden|m(?:ö|oe)glich|verf(?:ü|ue)gbar|erreichbar|vorhanden|erlaubt|berechtig|zugriff|g(?:ü|ue)ltig)|\b(?:kann|konnte|stimmt|existiert|darf)\b.{0,60}\bnicht\b"
    r"|\b(?:fall(?:o|ó|ido)\b|inv(?:á|a)lid|denegad|rechazad|caducad|expirad|vencid|desconocid|bloquead|agotad|insuficiente|excedid|supera|falta\b|conflicto|prohibid|obligatori|agot[aó]|lo siento|incorrect)"
    r"|\bno (?:se |es |está |tiene |hay |fue |ha |han )*(?:encontr|pudo|podido|puede|posible|existe|quedan?|dispone|coincid|recibi|v(?:á|a)lid|disponible|permi|autoriz|acces)"
    r"|\b(?:erreur|échec|échou|invalide|refusé|introuvable|expiré|impossible|inconnu|dépassé|manquant|indisponible|interdit)|\b(?:non|pas) (?:valide|autorisé|trouvé|disponible|pu)|n'existe pas"
    r"|错误|失败|异常|超时(?!设|时间|为)|拒绝|不存在|无效|非法|未找到|没有找到|找不到|无法|不能|不可用|不支持|不足|过期|冲突|无权|没有权限|权限不够|禁止|缺少|缺失|被锁|锁定|超出|超过|不正确|有误|未授权|不合法|已满|繁忙|频繁|出错|不匹配|不可达|断开|不允许|未通过|售罄|抱歉|不足|暂无|没能"
    r"|エラー|失敗|例外|タイムアウト|拒否|無効|見つかりません|見つかりませんでした|できません|存在しません|不正|期限切れ|権限がありません|不明|超えて|不足",
)
_ERRNO = re.compile(
    r"\bE(?:NOENT|ACCES|PERM|EXIST|CONN[A-Z]+|TIMEDOUT|NOTDIR|ISDIR|INVAL|MFILE|ADDRINUSE|BUSY|PIPE|HOSTUNREACH|NOTEMPTY|ROFS|NOSPC|AGAIN)\b"
)


def _heads(said: str) -> frozenset[str]:
    return frozenset(said.split())


# how words begin that such patterns need, up to four letters: most texts have none of them
_FAILURE_HEADS = _heads(
    "erro fail exce fata pani deni deny forb unau refu reje decl abor inva ille malf mism conf corr cras expi time unav "
    "unre unkn unsu unex expe unab unde viol insu over bloc lock miss requ kill brok bad too out alre no not noth went busy "
    "unpr disc disa woul cove obsc none sorr unsu with lack lacks need coul cann can wasn was must shou limi rate quot fehl "
    "gesc schw leid ungü unge unzu verw abge zeit über uebe gesp unbe uner nich kein kann konn stim exis darf fall invá "
    "dene rech cadu venc desc agot exce supe falt proh obli lo inco pudo erre éche invi intr impo dépa manq indi inte non "
    "pas n"
)
_WAITING_HEADS = _heads(
    "runn queu pend in prog proc stil yet wait awai not buil star sche uplo down enqu prov rend eta elap rema abou try chec "
    "hold plea bein prep once 202 retr perc proz por pour comp conv tran impo expo fini done noch wart auss steh läuf wird "
    "toda aún en espe enco pati"
    "subm init defe dela unde revi tran spin warm work so hang expe esti atte retr eing ange vorg gest vora daue prüf vorb carg "
    "acep inic falt qued"
)
_NO_FAILURE = re.compile(
    r"\b(?:no|0|zero|without(?: any)?|sin|keine?|ohne|sans|aucune?)[ -](?:\w+ )?(?:errors?|failures?|failed|conflicts?|exceptions?|problems?|issues?|fehler|errores|erreurs?)\b|\b(?:errors?|failures?|failed|conflicts?)\"?[:=] ?(?:0\b|null|none|\[\]|false)|(?:没有|无)(?:错误|异常|冲突|失败)",
    re.I,
)
_SUCCESS = re.compile(
    r"^\W{0,4}(?:ok|done|saved|created|updated|added|sent|moved|written|gespeichert|erstellt|guardado|creado|enregistré|已保存|已更新|已创建|已添加|已发送)\b"
    r"|(?<!un)success(?:ful(?:ly)?)?\b|\bsucceeded\b|\b(?:erfolgreich|correctamente|con éxito|avec succès)\b|(?<!不)(?<!未)成功|完了しました",
    re.I,
)
# in lower case: negations, bounds, what the caller is asked to mend
_DENIAL = re.compile(
    r"\b(?:not|never|nothing|nobody|none|cannot|\w+n't|without|un(?!it|if|der|til|ion)[a-z]{3,}ed|in(?:compat|complete|consist|access|elig)\w+|"
    r"no \w+|lost|stale|interrupt\w*|terminated|cancell?ed|suspend\w*|exhaust\w*|deplet\w*|revoked|restrict\w*|ambiguous|duplicat\w*|incorrect|wrong|"
    r"throttl\w*|slow down|maximum|minimum|at (?:least|most)|must|has to|only|already|too|did you mean|usage|syntax|please|reset by|sold out|closed|"
    r"nicht|kein\w*|bitte|muss|müssen|bereits|doppelt|belegt|veraltet|unterbrochen|nur|zu (?:gro|lang|kurz|viel)\w*|"
    r"no|ya|sin|debe\w*|por favor|demasiad\w*|imposible|solo|sólo|ne|pas|aucun\w*|veuillez|déjà)\b"
    r"|未|没|不|无|请|已(?:过期|失效|关闭|取消|停|被|满|占|锁|存在|下架|结束)|重复|冻结|仅|必须|只能|最多|至少|ない|ません|ください",
)
_LEAST_DENIAL_WORDS, _LEAST_DENIAL_CHARS = 4, 8
_ERROR_KEYS = frozenset({"error", "errors", "err", "exception", "fault", "failure", "error_code", "errorcode", "error_message", "fehler"})
_NOTHING = (None, False, 0, "", "none", "null", "[]")
# of a result that is read whole; of one of its lines
_SHORT_CHARS, _MOST_LINE_CHARS = 400, 300
_MOST_READ_CHARS = 8_000
_RAISED = re.compile(
    r"\s*(?:Exception in thread|Uncaught|Unhandled|thread '.{1,60}' panicked|fatal(?: error)?:|error(?:\[\w+\])?:|(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception)\b|(?:[a-z_]\w*\.)+[A-Z]\w+: )"
)
_FILED = re.compile(r"(?<![\w.])[\"']id[\"']\s*:\s*(?:[\"'][\w.:\-]+[\"']|\d+)")
_PATH = re.compile(r"(?:[A-Za-z]:)?(?:/[\w.\-]+)+/?|\bline \d+\b|:\d+(?::\d+)?\b")
# a number or name by which something is filed: long, with digits
_FILED_AS = re.compile(r"(?<![\w.])(?=[\w\-]*\d)(?:[\w\-]*\d[\w\-]*\d[\w\-]*\d[\w\-]*\d[\w\-]*|(?=[\w\-]*[A-Za-z])[\w\-]{6,})(?![\w.])")
_MOST_ERROR_CHARS, _MOST_ERROR_LINES = 120, 20
_LEAST_ECHO_CHARS, _MOST_ECHOED, _ECHO_HEAD = 3, 24, 16

_POLLING_TOOL = re.compile(
    r"(?:^|[_\-. ])(?:a?wait|poll|sleep|status|state|watch|monitor|tail|ping|progress|heartbeat|refresh|health)|进度|状态|(?:A?[Ww]ait|Poll|Sleep|Status|State|Watch|Monitor|Progress|Health)",
    re.A,
)
_POLLING_WORD = re.compile(
    r"(?<![\w-])(?:sleep|wait|poll|watch|(?<!git )status|healthz?|readyz?|livez|tail(?: -\w+)*|readiness|progress|kubectl (?:get|describe|logs|rollout)|"
    r"docker (?:ps|inspect|logs|compose ps)|gh (?:run|workflow) \w+|squeue|sacct|qstat|bjobs|pgrep|ps(?: -?\w+)+|nvidia-smi)(?![\w-])|等待|轮询",
    re.I,
)
_COMMAND_KEYS = frozenset({"", "command", "cmd", "script", "action", "code", "input", "url"})
# of a tool's name, its words apart: what takes its time, asked for by one that reads
_JOB = re.compile(
    r"(?:^| )(?:get|read|show|describe|check|fetch|list|query|inspect|view|state|ls)?\w* ?.*\b(?:jobs?|runs?|builds?|deployments?|rollouts?|pipelines?|workflows?|"
    r"executions?|operations?|exports?|imports?|renders?|transcod\w+|trainings?|migrations?|backups?|restores?|snapshots?|uploads?|downloads?|simulations?|"
    r"fine tun\w+|approvals?|batch(?:es)?|stacks?|invocations?|syncs?|conversions?|predictions?|generations?|track(?:ing)?|queues?|crawls?|scans?|screenshots?|screen|terminals?|console|stdout|process(?:es)?|output|indexing|provision\w*)\b"
)
_STATE_FIELDS = frozenset({"status", "state", "phase", "stage", "zustand", "estado", "状态", "job_status", "job_state"})
_MOST_STATUS_FIELDS = 5
_OVER = re.compile(
    r"succe|complet|done|finish|\bok\b|closed|cancel|deliver|resolv|approved|merged|passed|ended|stopped|terminat|fertig|abgeschlossen|erledigt|termin|finaliz|完成|成功|结束|关闭|取消",
    re.I,
)
_OVER_KEY = re.compile(r"done|finish|complet|ready|over\b|terminal|settled|available")
_PROGRESS_KEY = re.compile(r"progress|percent|\bpct|_pct|eta|remaining|queue|position|retry|attempt|poll|completed|processed|total_steps")
_PARTS = re.compile(r"[_\-./:]+|(?<=[a-z0-9])(?=[A-Z])")
# one word as the value of a field, or the first of the text: "provisioning", "Copying 3 files"
_ING = re.compile(
    r"[:=]\s*[\"']?(?!morning|evening|spring|string|nothing|thing)[a-z]{2,}ing[\"'.…]|^(?!morning|evening|spring|string|nothing|thing|during|building)[a-z]{2,}ing\b(?! (?:is|was|are)\b)|^building$"
    r"|\b(?:is|are|still|currently|now|being) \w+ing\b|(?:\.\.\.|…)\W*$|[\u4e00-\u9fff]中(?![\u4e00-\u9fff])|\b(?:se )?est(?:á|án|oy) \w+(?:ando|iendo)\b"
)
# "_" parts words here: CREATE_IN_PROGRESS
_UNDER_WAY = re.compile(
    r"(?:(?<![a-z])(?:running|queued|pending|in[ _-]progress|processing|still|yet|waiting|awaiting|not (?:ready|finished|done|complete)|starting|scheduled|uploading|downloading|"
    r"in (?:the )?queue|enqueued|provisioning|rendering|eta|elapsed|remaining|about \d+ \w+ left|try again (?:later|in)|check (?:back|again)|hold on|please wait|waited|being \w+ed|prepar(?:ing|ed)|once (?:it|this|that) is|202 accepted|retry-after|submitted|initiated|deferred|delayed|under (?:way|review)|underway|in (?:review|transit)|on its way|spinning up|warming up|working on it|so far|expected (?:in|by|at)|estimated|hang tight|retrying|attempt \d+)(?![a-z])"
    r"|\d{1,3}(?:\.\d+)? ?(?:%|percent|prozent|por ciento|pour cent)|\b(?:render|process|upload|download|complet|convert|transfer|import|export|finish|done)\w*:? \d+ (?:of|/) \d+\b"
    r"|\b(?:noch|wartet|wartend|ausstehend|aussteht|steht aus|läuft|in (?:bearbeitung|arbeit|prüfung|vorbereitung|der warteschlange)|eingereiht|angenommen|vorgemerkt|gestartet|voraussichtlich|dauert|wird \w+ \w*(?:t|en))\b"
    r"|\b(?:todavía|aún|pendiente|procesando|en (?:espera|curso|cola|proceso|trámite)|espere|preparando|cargando|programad[oa]|aceptad[oa]|iniciad[oa]|estimad[oa]|faltan?|quedan?|en revisión)\b|\b(?:encore|en (?:cours|attente)|patientez)\b"
    r"|进行中|排队|等待|处理中|运行中|生成中|构建中|尚未|还未|还没|还在|仍在|正在|未完成|未就绪|稍后|稍候|请等|请耐心|已提交|已受理|预计|剩余|还需|约需|审核|即将|まだ|処理中|実行中|待ち|待機中)(?![\"']?\s*[:=])",
)


def tells_denial(text: str) -> bool:
    """Whether a short result says no, or what was wrong with the call, in a sentence: weaker than `tells_failure`, for it may be
    an answer too; the same of one call after the other it is a failure."""
    if not _LEAST_DENIAL_CHARS <= len(text) <= _SHORT_CHARS or text.lstrip()[:1] == "[":
        return False
    said = text.replace("_", " ").lower()
    if len(words_in(said)) < _LEAST_DENIAL_WORDS or _SUCCESS.search(said) is not None:
        return False
    return _DENIAL.search(_NO_FAILURE.sub("", said)) is not None


def tells_failure(text: str) -> bool:
    """Whether a result says that its call went wrong: a short one in any of its words, a longer one as it begins."""
    if len(text) > _SHORT_CHARS:
        return _RAISED.match(text) is not None
    said = text
    if text.lstrip()[:1] in ("{", "["):
        pairs = list(values_of(text))
        if any(key.lower() in _ERROR_KEYS and value not in _NOTHING for key, value in pairs):
            return True
        said = "\n".join(value for _, value in pairs if isinstance(value, str))
    return _says_failure(said.replace("_", " ")) and _SUCCESS.search(said) is None


def _says_failure(text: str) -> bool:
    said = text.lower()
    if may_hold(said, _FAILURE_HEADS) and _FAILURE.search(_NO_FAILURE.sub("", said)) is not None:
        return True
    return _ERRNO.search(text) is not None


def may_hold(text: str, heads: frozenset[str]) -> bool:
    """Whether a word of the text, which is in lower case, begins with one of the heads; of a text with other than ASCII nothing
    is known."""
    return not text.isascii() or "#" in text or "%" in text or not heads.isdisjoint(word[:4] for word in words_in(text))


def error_class(text: str, arguments: str = "") -> str:
    """What kind of error a result tells of: a name, and a digest of all lines that tell of errors, without places, times, numbers
    of cases and what was echoed of the arguments. Another failure, or one less, is another error."""
    lines = [line for line in text[:_MOST_READ_CHARS].splitlines() if line.strip()]
    telling = [line for line in lines if _ERROR_NAME.search(line) or _says_failure(line[:_MOST_LINE_CHARS])] or lines
    echoed = _echoed(arguments)
    said = "\n".join(_without(line, echoed) for line in telling[:_MOST_ERROR_LINES])
    named = next((found for line in telling[::-1] if (found := _ERROR_NAME.search(line))), None)
    name = (
        next((f"{what}{value.lstrip('.')}" for what, value in zip(("", "exit ", "status "), named.groups(), strict=True) if value), "error")
        if named
        else "error"
    )
    return f"{name} {result_digest(said)}: {said.splitlines()[0][:_MOST_ERROR_CHARS] if said else ''}"


def is_pending(tool: str, arguments: str, result: str) -> bool:
    """Whether it waits for something, or its result says that what is asked for is still under way."""
    if _JOB.search(_PARTS.sub(" ", tool).lower()):
        return True
    commands = (value for key, value in values_of(arguments) if isinstance(value, str) and key.lower() in _COMMAND_KEYS)
    waits = _POLLING_TOOL.search(tool) or any(_POLLING_WORD.search(command) for command in commands)
    return bool(waits or (len(result) <= _MOST_LINE_CHARS and _says_under_way(result) and not tells_failure(result)))


def _says_under_way(text: str) -> bool:
    said = text.lower()
    if said.lstrip()[:1] == "{":
        pairs = [(key.lower(), value) for key, value in values_of(text)]
        small = len(pairs) <= _MOST_STATUS_FIELDS
        if any(_counts_on(key, value) or (small and _is_not_over(key, value)) for key, value in pairs):
            return True
    if _ING.search(said) is not None:
        return True
    return may_hold(said.replace("_", " "), _WAITING_HEADS) and _UNDER_WAY.search(said) is not None


def _is_not_over(key: str, value: object) -> bool:
    """Whether a field says in what state something is, and that is none of those in which it stays."""
    return key in _STATE_FIELDS and isinstance(value, str) and _OVER.search(value) is None and _FAILURE.search(value.lower()) is None


def _counts_on(key: str, value: object) -> bool:
    """Whether a field says how far something has come, or that it has not."""
    if isinstance(value, bool):
        return not value and _OVER_KEY.search(key) is not None
    return isinstance(value, int | float) and _PROGRESS_KEY.search(key) is not None


def _echoed(arguments: str) -> list[str]:
    """What a result may echo of its call, longest first: values, and their words."""
    values = [str(value) for _, value in values_of(arguments) if isinstance(value, str | int) and not isinstance(value, bool)]
    parts = {part for value in values for part in (value, *value.split())}
    return sorted((part for part in parts if len(part) >= _LEAST_ECHO_CHARS), key=lambda part: (-len(part), part))[:_MOST_ECHOED]


def _without(line: str, echoed: Sequence[str]) -> str:
    for value in echoed:
        line = _unechoed(line, value)
    return _FILED_AS.sub("<id>", _PATH.sub("<at>", plain_text(_FILED.sub("<id>", line))))


def _unechoed(line: str, value: str) -> str:
    """Without the value, also where only its beginning is echoed."""
    line = line.replace(value, "<arg>")
    head = value[:_ECHO_HEAD]
    at = line.find(head) if len(value) > _ECHO_HEAD else -1
    if at < 0:
        return line
    end = at + next(
        (place for place, (one, other) in enumerate(zip(line[at:], value, strict=False)) if one != other), min(len(line) - at, len(value))
    )
    return f"{line[:at]}<arg>{line[end:]}"
