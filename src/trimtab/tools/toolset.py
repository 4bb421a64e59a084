"""The tools by which an agent manages its own context, bound to its session (REQUIREMENTS M8)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from trimtab.core.messages import Message, ToolCall
from trimtab.errors import BadSetting, NotFound, TrimtabError
from trimtab.session import Session
from trimtab.session.incoming import read_messages
from trimtab.tokens import counter_for
from trimtab.tools import documents, dropping, noting, reading, rules_en, rules_zh, tasks
from trimtab.tools.arguments import BadArgument, clean, read_arguments, shown
from trimtab.tools.declared import BY_NAME, DOCUMENT_TOOLS_BY_NAME, TASK_TOOLS_BY_NAME
from trimtab.tools.desk import Desk
from trimtab.tools.schema import LANGUAGES, Language, ToolWire, render
from trimtab.wire import wire_for

MAX_RESULT_TOKENS = 1_500
_LEAST_RESULT_TOKENS = 200
_RULES: dict[Language, str] = {"en": rules_en.RULES, "zh": rules_zh.RULES}
_DOCUMENT_RULES: dict[Language, str] = {"en": rules_en.DOCUMENT_RULES, "zh": rules_zh.DOCUMENT_RULES}
_HANDLERS: dict[str, Callable[[Desk, dict[str, Any]], str]] = {
    "extract_key_info": noting.extract_key_info,
    "drop_history": dropping.drop_history,
    "write_note": noting.write_note,
    "read_note": noting.read_note,
    "list_notes": noting.list_notes,
    "query_memory": reading.query_memory,
    "clear_scratchpad": dropping.clear_scratchpad,
    "save_variable": noting.save_variable,
    "read_variable": reading.read_variable,
    "list_memory": reading.list_memory,
}
_DOCUMENT_HANDLERS: dict[str, Callable[[Desk, dict[str, Any]], str]] = {
    "search_documents": documents.search_documents,
    "read_document": documents.read_document,
}
_TASK_HANDLERS: dict[str, Callable[[Desk, dict[str, Any]], str]] = {
    "update_task": tasks.update_task,
    "propose_plan": tasks.propose_plan,
}
_TASK_RULES: dict[Language, str] = {"en": rules_en.TASK_RULES, "zh": rules_zh.TASK_RULES}
_ALL_TOOLS = BY_NAME | DOCUMENT_TOOLS_BY_NAME | TASK_TOOLS_BY_NAME
_ALL_HANDLERS = _HANDLERS | _DOCUMENT_HANDLERS | _TASK_HANDLERS


class Toolset:
    """Tools for a model: their schemas, what answers their calls, and the rules for the system prompt.

        tools = Toolset(session)
        prompt = session.prompt(system=tools.usage_rules(), tools=[*mine, *tools.schemas("openai_chat")])
        message = client.chat.completions.create(**prompt.render()).choices[0].message
        session.record(message)
        session.record(*tools.answer(message), *my_results(message))

    Nothing that a tool returns or stores can become a rule (REQUIREMENTS M10): results are data, notes are notes.
    """

    def __init__(
        self,
        session: Session,
        *,
        only: Iterable[str] | None = None,
        language: Language = "en",
        prefix: str = "",
        max_result_tokens: int = MAX_RESULT_TOKENS,
        documents: bool | None = None,
    ) -> None:
        """
        Args:
            only: names of the tools to offer, without the prefix; all by default, those that move a task on where one is
                under way now.
            documents: whether to offer those that search and read the project's documents too; by default where there
                are any now. `only` says it all where it is given.
            language: of descriptions and usage rules, "en" or "zh". Answers are in English.
            prefix: before each name, where the agent has tools of the same names.
            max_result_tokens: of one answer; what is longer says how to get the rest.
        Raises:
            NotFound: a tool that does not exist, with those that do.
            BadSetting: another language, a cap that is too small.
        """
        has_documents = only is None and (bool(session.library) if documents is None else documents)
        under_way = session.state.task is not None and not session.state.task.ended
        offered = (*BY_NAME, *(DOCUMENT_TOOLS_BY_NAME if has_documents else ()), *(TASK_TOOLS_BY_NAME if under_way else ()))
        names = offered if only is None else tuple(dict.fromkeys(only))
        for name in names:
            if name not in _ALL_TOOLS:
                raise NotFound("tool", name, tuple(_ALL_TOOLS))
        _check_language(language)
        if max_result_tokens < _LEAST_RESULT_TOKENS:
            raise BadSetting("max_result_tokens", max_result_tokens, f"{_LEAST_RESULT_TOKENS} or more")
        self._tools = {prefix + name: _ALL_TOOLS[name] for name in names}
        self._prefix, self._language = prefix, language
        count = counter_for(session.target.model).count_text
        self._desk = Desk(session, max_result_tokens, count, prefix, frozenset(self._tools))

    @property
    def names(self) -> tuple[str, ...]:
        """What the model calls the tools, prefix included."""
        return tuple(self._tools)

    def schemas(self, wire: ToolWire | None = None) -> list[dict[str, Any]]:
        """The tools as an interface takes them: "openai_chat", "openai_responses" (strict), "anthropic" or "mcp"; the
        session's own wire by default.

        Raises:
            BadSetting: another wire.
        """
        chosen = self._desk.session.target.wire if wire is None else wire
        return [render(tool, chosen, self._language, self._prefix) for tool in self._tools.values()]

    def usage_rules(self, language: Language | None = None) -> str:
        """How to use the tools, for the system prompt; under 450 tokens."""
        chosen = self._language if language is None else language
        _check_language(chosen)
        reads_documents = any(tool.name in DOCUMENT_TOOLS_BY_NAME for tool in self._tools.values())
        moves_task = any(tool.name in TASK_TOOLS_BY_NAME for tool in self._tools.values())
        rules = _RULES[chosen] + (_DOCUMENT_RULES[chosen] if reads_documents else "") + (_TASK_RULES[chosen] if moves_task else "")
        return rules.format(**{name: self._prefix + name for name in _ALL_TOOLS})

    def run(self, name: str, arguments: str | dict[str, Any] | None = None) -> str:
        """Answer one call. Never raises: what was wrong is said in the answer, so that the model can act on it.

        Args:
            name: with its prefix.
            arguments: JSON text of an object, as models send it, or the object.
        Returns:
            text of at most `max_result_tokens`.
        """
        tool = self._tools.get(name) if isinstance(name, str) else None
        if tool is None:
            return f"not done: there is no tool {shown(name)}; there is: {', '.join(self._tools)}"
        try:
            answer = _ALL_HANDLERS[tool.name](self._desk, read_arguments(tool, arguments, name))
        except BadArgument as error:
            answer = str(error)
            if not answer.startswith(("not done", "not saved", "nothing was saved")):
                answer = f"not done: {answer}"
        except (TrimtabError, UnicodeError, RecursionError, msgspec.MsgspecError) as error:
            answer = f"not done: {error}"
        return self._desk.capped(clean(answer))

    def answer(self, message: Any) -> list[dict[str, Any]]:
        """Run the calls of these tools in an assistant message, and answer them. Record the message first.

        Args:
            message: dict, SDK object or whole reply of any wire form; of Responses also the list of output items.
        Returns:
            messages in the same form, for `record` and for the next request: one for each call; in the Messages form
            one for all. Calls of other tools are left to the caller. [] where there are none of these.
        Raises:
            ParseError: it is no message.
        """
        values = message if isinstance(message, list | tuple) else (message,)
        answered: list[dict[str, Any]] = []
        for parsed in read_messages(values, self._desk.session.target.wire):
            ours = [call for call in parsed.calls if call.name in self._tools]
            results = [self._result(parsed, call) for call in ours]
            if parsed.wire_format == "anthropic" and results:
                content = [block for result in results for block in result["content"]]
                results = [results[0] | {"content": content}]
            answered += results
        return answered

    def _result(self, message: Message, call: ToolCall) -> dict[str, Any]:
        made = wire_for(message.wire_format).make_result(call.call_id, call.name, self.run(call.name, call.arguments))
        return dict(msgspec.json.decode(made.wire))


def _check_language(language: str) -> None:
    if language not in LANGUAGES:
        raise BadSetting("language", language, "one of " + ", ".join(LANGUAGES))
