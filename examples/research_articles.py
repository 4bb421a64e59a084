"""An agent researches 20 articles in a window of 16,000 tokens and keeps its own context clean.

    python examples/research_articles.py

Without a key a scripted model plays a competent agent; it sees nothing but the prompt. The articles are about 6,000
Chinese characters or 1,500 English words each, all of the same kind of thing, so that whoever mixes up sources gets
the report wrong: the program checks each figure in it against the article that it is said to be from, and ends with
an error where one is wrong or missing.

For a real model set RESEARCH_MODEL, and what the OpenAI library reads: OPENAI_API_KEY and OPENAI_BASE_URL.
"""

from __future__ import annotations

import json
import os
import random
import re
import sys
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any

from trimtab import Budget, Session, Settings, Target, Toolset

WINDOW_TOKENS = 16_000
MOST_ROUNDS = 240
TASK = (
    "Research all articles on energy stores. Find the storage capacity of each site. "
    "At the end write a report with one line for each article: site, capacity, article id."
)
ROLE = "You research articles. Every figure in your report names the article it is from: `- Lisbon: 417 MWh (article 3)`."


# ---------------------------------------------------------------- the articles


@dataclass(frozen=True)
class Article:
    """What the agent can fetch; `capacity_mwh` is what the text says somewhere in its middle."""

    id: int
    site: str
    capacity_mwh: int
    text: str


SITES_EN = ("Lisbon", "Aarhus", "Turin", "Leeds", "Graz", "Tampere", "Bilbao", "Ghent", "Lyon", "Rostock")
SITES_ZH = ("青岛", "昆明", "洛阳", "泉州", "大同", "绵阳", "烟台", "柳州", "兰州", "湛江")
SUBJECTS_EN = ("The operator", "The city council", "A group of engineers", "The grid company", "A local newspaper", "The building firm")
VERBS_EN = ("explained", "reported", "argued", "wrote in its yearly review", "told visitors", "admitted")
THINGS_EN = (
    "the cooling loop",
    "the access road",
    "the control room",
    "the salt tank",
    "the second transformer",
    "the training of the staff",
)
ENDS_EN = (
    "had taken {n} weeks longer than planned",
    "was rebuilt after the storm of {y}",
    "cost less than the first estimate, by about {n} percent",
    "is inspected every {n} days by an outside team",
    "would be shared with a neighboring town from {y} on",
    "had been the hardest part, and that nobody would do it the same way again",
)
SUBJECTS_ZH = ("运营方", "市政部门", "一组工程师", "电网公司", "当地报纸", "施工单位", "一位退休的总工")
VERBS_ZH = ("解释说", "在年报里写道", "告诉来访者", "承认", "多次提到", "在会上指出")
THINGS_ZH = ("冷却回路", "进场道路", "主控室", "熔盐储罐", "第二台变压器", "值班人员的培训", "消防通道")
ENDS_ZH = (
    "比原计划晚了{n}周",
    "在{y}年的暴雨之后重新修过",
    "实际花费比第一次估算低了大约百分之{n}",
    "每隔{n}天由外部团队检查一次",
    "从{y}年起会与邻近的县共用",
    "是整个工程里最难的部分,如果重来一次,谁也不会再用同样的办法",
)


def make_articles(count: int = 20) -> list[Article]:
    """Every second one is Chinese. The same call gives the same articles; no two capacities are equal."""
    chance = random.Random(20)
    capacities = chance.sample(range(120, 990), count)
    articles = []
    for index in range(count):
        chinese = bool(index % 2)
        site = (SITES_ZH if chinese else SITES_EN)[index // 2 % 10]
        make = _chinese_text if chinese else _english_text
        articles.append(Article(index + 1, site, capacities[index], make(site, capacities[index], chance)))
    return articles


def _english_text(site: str, capacity_mwh: int, chance: random.Random) -> str:
    fact = f"When all tanks are full, the storage capacity of the {site} site is {capacity_mwh} MWh."
    sentences = [
        f"{chance.choice(SUBJECTS_EN)} {chance.choice(VERBS_EN)} that {chance.choice(THINGS_EN)} in {site} "
        f"{chance.choice(ENDS_EN).format(n=chance.randint(2, 60), y=chance.randint(2009, 2024))}."
        for _ in range(72)
    ]
    return _article(f"The energy store of {site}", sentences, fact, chance, " ")


def _chinese_text(site: str, capacity_mwh: int, chance: random.Random) -> str:
    fact = f"全部储罐装满时,{site}站的储能容量为{capacity_mwh}兆瓦时。"
    sentences = [
        f"关于{site}的{chance.choice(THINGS_ZH)},{chance.choice(SUBJECTS_ZH)}{chance.choice(VERBS_ZH)},这一部分"
        f"{chance.choice(ENDS_ZH).format(n=chance.randint(2, 60), y=chance.randint(2009, 2024))}。"
        for _ in range(150)
    ]
    return _article(f"{site}储能站", sentences, fact, chance, "")


def _article(title: str, sentences: list[str], fact: str, chance: random.Random, space: str) -> str:
    sentences.insert(chance.randrange(len(sentences) // 4, 3 * len(sentences) // 4), fact)
    paragraphs = [space.join(sentences[at : at + 6]) for at in range(0, len(sentences), 6)]
    return "\n\n".join([title, *paragraphs])


# ---------------------------------------------------------------- the agent's own tools


def own_schemas() -> list[dict[str, Any]]:
    one_id = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}
    return [
        _schema("list_articles", "Ids and titles of all articles.", {"type": "object", "properties": {}}),
        _schema("fetch_article", "The whole text of one article.", one_id),
    ]


def _schema(name: str, description: str, parameters: dict[str, Any]) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


def own_results(message: dict[str, Any], articles: list[Article], ours: tuple[str, ...]) -> list[dict[str, Any]]:
    """Answers to the calls that are not the toolset's."""
    texts = {article.id: article.text for article in articles}
    results = []
    for call in message["tool_calls"]:
        if call["function"]["name"] in ours:
            continue
        if call["function"]["name"] == "list_articles":
            text = "\n".join(f"{article.id}: {article.text.splitlines()[0]}" for article in articles)
        else:
            wanted = re.search(r"\d+", call["function"]["arguments"])
            text = texts.get(int(wanted[0]) if wanted else 0, "error: no article with that id")
        results.append({"role": "tool", "tool_call_id": call["id"], "content": text})
    return results


# ---------------------------------------------------------------- the loop

Model = Callable[[dict[str, Any]], dict[str, Any]]


@dataclass
class Outcome:
    """What the run came to. `bodies` are the requests that were sent, in order."""

    report: str = ""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    budget_tokens: int = 0
    produced_tokens: int = 0


def research(model: Model, articles: list[Article], say: Callable[[str], None] = print, model_name: str = "gpt-5") -> Outcome:
    """Ask, answer, ask again, until the model answers without a call."""
    # a long result is a variable from the start, and a stub in the prompt: the agent takes what it needs out of it
    settings = Settings(mode="auto", budget=Budget(window_tokens=WINDOW_TOKENS), offload_result_tokens=1_000)
    outcome = Outcome()
    with Session.open(":memory:", "research", settings=settings, target=Target(model=model_name)) as session:
        tools = Toolset(session)
        session.brief(TASK)
        session.record({"role": "user", "content": TASK})
        system = f"{ROLE}\n\n{tools.usage_rules()}"
        schemas = [*own_schemas(), *tools.schemas("openai_chat")]
        for number in range(1, MOST_ROUNDS + 1):
            prompt = session.prompt(system=system, tools=schemas)
            body = prompt.render()
            outcome.bodies.append(body)
            outcome.tokens.append(prompt.tokens)
            outcome.budget_tokens = prompt.budget.prompt_budget_tokens
            message = model(body)
            session.record(message)
            calls = message.get("tool_calls") or []
            names = ", ".join(call["function"]["name"] for call in calls) or "the report"
            say(f"round {number:>3}   {prompt.tokens:>6,} of {outcome.budget_tokens:,} tokens   {names}")
            if not calls:
                outcome.report = message["content"]
                break
            session.record(*tools.answer(message), *own_results(message, articles, tools.names))
        outcome.produced_tokens = session.state.total_tokens
    return outcome


def problems(report: str, articles: list[Article]) -> list[str]:
    """What is wrong with a report: articles without their figure, figures with another source."""
    found = []
    said = {int(line[1]): line[0] for line in re.finditer(r"^.*\(article (\d+)\).*$", report, re.MULTILINE)}
    for article in articles:
        line = said.get(article.id, "")
        figures = [int(figure) for figure in re.findall(r"(\d+) MWh", line)]
        if article.site not in line or figures != [article.capacity_mwh]:
            found.append(f"article {article.id} ({article.site}, {article.capacity_mwh} MWh): the report says {line or 'nothing'!r}")
    return found


# ---------------------------------------------------------------- a scripted model

Script = Generator[list[dict[str, Any]] | str, list[str], None]


def competent_agent() -> Script:
    """What a competent agent does, from what it is shown alone: yields calls or the report, is sent the results."""
    (listing,) = yield [_call("list_articles")]
    for article_id in re.findall(r"^(\d+):", listing, re.MULTILINE):
        yield [_call("fetch_article", id=int(article_id))]
        (saved,) = yield [
            _call("extract_key_info", source="last", keep_fields=["storage capacity", "储能容量"], save_as=f"article/{int(article_id):02}")
        ]
        number = re.search(r"#(\d+) may be dropped now", saved)
        if number is not None:
            yield [_call("drop_history", ids=[int(number[1])], why="its figure is saved")]
    (notes,) = yield [_call("list_notes", begins_with="article/")]
    keys = re.findall(r"^(article/\d+) \(version", notes, re.MULTILINE)
    lines = []
    for at in range(0, len(keys), 5):
        batch = keys[at : at + 5]
        texts = yield [_call("read_note", key=key) for key in batch]
        lines += [_report_line(text) for text in texts]
    yield "\n".join(["Storage capacity of the sites", "", *lines])


def _report_line(note: str) -> str:
    """The figure and its source, both as the note has them."""
    value = json.loads(note)
    article = re.search(r"id=(\d+)", value["from"])
    sentence = next(iter(value["fields"].values()))["sentences"][0]
    figure = re.search(r"(?:of the (?P<en>\w+) site is|,(?P<zh>\w+)站的储能容量为) ?(?P<mwh>\d+) ?(?:MWh|兆瓦时)", sentence)
    if article is None or figure is None:
        return f"- no figure in {note[:80]}"
    return f"- {figure['en'] or figure['zh']}: {figure['mwh']} MWh (article {article[1]})"


def _call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}}


class ScriptedModel:
    """Plays a script against the requests it is sent. It reads the results at the end of each, and nothing else."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.calls = 0
        self.begun = False

    def __call__(self, body: dict[str, Any]) -> dict[str, Any]:
        said = self.script.send(self._results(body)) if self.begun else next(self.script)
        self.begun = True
        if isinstance(said, str):
            return {"role": "assistant", "content": said}
        for call in said:
            self.calls += 1
            call["id"] = f"call_{self.calls}"
        return {"role": "assistant", "content": None, "tool_calls": said}

    @staticmethod
    def _results(body: dict[str, Any]) -> list[str]:
        texts: list[str] = []
        for message in reversed(body["messages"]):
            if message["role"] != "tool":
                break
            texts.insert(0, message["content"])
        return texts


def real_model(name: str) -> Model:
    """A model behind an OpenAI-compatible interface."""
    from openai import OpenAI

    client = OpenAI()

    def complete(body: dict[str, Any]) -> dict[str, Any]:
        message = client.chat.completions.create(**body).choices[0].message
        return dict(message.model_dump(exclude_none=True, include={"role", "content", "tool_calls"}))

    return complete


def main() -> int:
    name = os.environ.get("RESEARCH_MODEL", "")
    articles = make_articles()
    model = real_model(name) if name else ScriptedModel(competent_agent())
    outcome = research(model, articles, model_name=name or "gpt-5")
    wrong = problems(outcome.report, articles)
    print(f"\n{outcome.report}\n")
    print(f"largest prompt {max(outcome.tokens):,} of {outcome.budget_tokens:,} tokens; produced in all {outcome.produced_tokens:,} tokens")
    print(f"{len(articles) - len(wrong)} of {len(articles)} figures with the right source")
    for problem in wrong:
        print(f"wrong: {problem}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
