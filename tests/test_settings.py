"""Where a value comes from, which source wins, and how an error names it."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from trimtab.errors import BadSetting, ConfigError, NotFound, UnknownSetting
from trimtab.policies import PRESETS, preset
from trimtab.settings import LAYOUTS, MODES, Budget, Settings, Summarizer, load_settings

ORDER = ("preset", "toml", "environment", "flag", "code")


def load(tmp_path: Path, values: dict[str, int]) -> tuple[int, str]:
    """(hot_rounds, its origin) where each named source says another number."""
    path = tmp_path / "trimtab.toml"
    path.write_text(f"[trimtab]\nhot_rounds = {values['toml']}\n" if "toml" in values else "[other]\nhot_rounds = 99\n")
    resolved = load_settings(
        preset={"hot_rounds": values["preset"]} if "preset" in values else None,
        toml_path=path,
        environment={"TRIMTAB_HOT_ROUNDS": str(values["environment"])} if "environment" in values else {},
        flags={"hot_rounds": values["flag"]} if "flag" in values else None,
        code={"hot_rounds": values["code"]} if "code" in values else None,
    )
    return resolved.settings.hot_rounds, resolved.origins.get("hot_rounds", "default").replace(str(path), "toml")


@pytest.mark.parametrize("count", range(1, 6))
def test_a_later_source_wins_over_all_earlier_ones(count: int, tmp_path: Path) -> None:
    values = {name: 20 + index for index, name in enumerate(ORDER[:count])}
    assert load(tmp_path, values) == (19 + count, ORDER[count - 1])


@pytest.mark.parametrize(("lower", "higher"), list(pairwise(ORDER)))
def test_each_source_wins_over_its_neighbor(lower: str, higher: str, tmp_path: Path) -> None:
    assert load(tmp_path, {lower: 3, higher: 4}) == (4, higher)
    assert load(tmp_path, {lower: 3}) == (3, lower)


def test_defaults_have_no_origin(tmp_path: Path) -> None:
    assert load(tmp_path, {}) == (10, "default")
    assert load_settings(environment={}).origins == {}
    assert load_settings(environment={}).settings == Settings()


def test_nested_and_flat_keys_are_the_same() -> None:
    nested = load_settings(environment={}, code={"budget": {"window_tokens": 8_000, "trigger_ratio": 0.5}})
    flat = load_settings(environment={}, code={"budget.window_tokens": 8_000, "budget.trigger_ratio": 0.5})
    assert nested.settings == flat.settings
    assert nested.origins == flat.origins == {"budget.window_tokens": "code", "budget.trigger_ratio": "code"}


def test_sources_are_merged_value_by_value(tmp_path: Path) -> None:
    path = tmp_path / "trimtab.toml"
    path.write_text('[trimtab]\nmode = "window"\nlayout = "cache_first"\n[trimtab.budget]\nwindow_tokens = 16000\nsplice_ratio = 0.1\n')
    resolved = load_settings(
        toml_path=path,
        environment={"TRIMTAB_BUDGET__WINDOW_TOKENS": "32000", "TRIMTAB_CLEAR_RESULTS": "false", "TRIMTAB_WINDOW_ROUNDS": "7"},
        flags={"mode": "compact", "layout": None},
    )
    settings = resolved.settings
    assert (settings.mode, settings.layout, settings.clear_results, settings.window_rounds) == ("compact", "cache_first", False, 7)
    assert settings.budget == Budget(window_tokens=32_000, splice_ratio=0.1)
    assert resolved.origins == {
        "mode": "flag",
        "layout": str(path),
        "clear_results": "environment",
        "window_rounds": "environment",
        "budget.window_tokens": "environment",
        "budget.splice_ratio": str(path),
    }


def test_the_summarizer_is_set_value_by_value_and_is_none_where_nothing_is(tmp_path: Path) -> None:
    path = tmp_path / "trimtab.toml"
    path.write_text('[trimtab]\nmaintain = "inline"\n[trimtab.summarizer]\nmodel = "small-1"\nbase_url = "https://api.example.com/v1"\n')
    resolved = load_settings(
        toml_path=path,
        environment={"TRIMTAB_SUMMARIZER__MODEL": "small-2", "TRIMTAB_SUMMARIZER__TIMEOUT_S": "5"},
        code={"summarizer": {"api_key_env": "MY_KEY"}},
    )
    wanted = Summarizer(model="small-2", base_url="https://api.example.com/v1", timeout_s=5.0, api_key_env="MY_KEY")
    assert (resolved.settings.summarizer, resolved.settings.maintain) == (wanted, "inline")
    assert resolved.origins["summarizer.model"] == "environment" and resolved.origins["summarizer.api_key_env"] == "code"
    assert load_settings(environment={}).settings.summarizer is None


def test_a_password_in_the_url_is_refused_and_not_repeated() -> None:
    with pytest.raises(BadSetting, match=r"summarizer\.base_url") as caught:
        load_settings(environment={}, code={"summarizer.base_url": "https://me:s3cret@example.com/v1"})
    assert "s3cret" not in str(caught.value) and "api_key_env" in str(caught.value)


def test_a_misspelt_name_with_our_prefix_is_refused() -> None:
    assert load_settings(environment={"TRIMTAB_DATA": "/somewhere", "HOME": "/"}).origins == {}
    with pytest.raises(UnknownSetting) as caught:
        load_settings(environment={"TRIMTAB_MODEE": "auto"})
    assert (caught.value.key, caught.value.origin) == ("modee", "environment")


def test_the_real_environment_is_read_where_none_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIMTAB_MODE", "retrieval")
    assert load_settings().settings.mode == "retrieval"
    assert load_settings(code={"mode": "window"}).settings.mode == "window"


# ---------------------------------------------------------------- errors


@pytest.mark.parametrize("source", ["preset", "flags", "code"])
def test_an_unknown_setting_names_its_source_and_what_there_is(source: str) -> None:
    arguments: dict[str, Any] = {source: {"budget.windows": 1}}
    with pytest.raises(UnknownSetting) as caught:
        load_settings(environment={}, **arguments)
    assert caught.value.key == "budget.windows"
    assert caught.value.origin == source.removesuffix("s")
    assert "budget.window_tokens" in caught.value.known and "mode" in caught.value.known
    assert "budget.windows" in str(caught.value) and "budget.window_tokens" in str(caught.value)


def test_an_unknown_setting_in_a_file_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("[trimtab]\nhot = 1\n")
    with pytest.raises(UnknownSetting, match=r"mine\.toml"):
        load_settings(toml_path=path, environment={})


@pytest.mark.parametrize(
    ("key", "value", "allowed"),
    [
        ("hot_rounds", 0, "1 or more"),
        ("overlap_rounds", 0, "1 or more"),
        ("recent_rounds", -1, "1 or more"),
        ("summary_max_tokens", 0, "1 or more"),
        ("rules_max_tokens", 0, "1 or more"),
        ("rules_max_items", 0, "1 or more"),
        ("recall_limit", -1, "0 or more"),
        ("clear_keep_rounds", -1, "0 or more"),
        ("window_rounds", 0, "1 or more, or None"),
        ("clear_at_least_tokens", -1, "0 or more, or None"),
        ("recall_max_ratio", 0.0, "above 0 and at most 1"),
        ("stub_result_ratio", 1.5, "above 0 and at most 1"),
        ("budget.splice_ratio", 0.2, "from 0 to 0.10"),
        ("budget.safety_ratio", 2.0, "above 0 and at most 1"),
        ("summarizer.base_url", "api.example.com", "a URL that begins with http:// or https://"),
        ("summarizer.window_tokens", 3_999, "4,000 or more"),
        ("summarizer.max_output_tokens", 20_000, "above 0 and at most half of summarizer.window_tokens"),
        ("summarizer.timeout_s", 0.0, "above 0"),
        ("summarizer.least_tokens", -1, "0 or more"),
        ("summarizer.input_price", -0.1, "0 or more"),
        ("summarizer.output_price", -0.1, "0 or more"),
    ],
)
def test_a_value_out_of_range_names_key_value_source_and_what_is_allowed(key: str, value: float, allowed: str) -> None:
    with pytest.raises(BadSetting) as caught:
        load_settings(environment={}, flags={key: value})
    error = caught.value
    assert (error.key, error.value, error.allowed, error.origin) == (key, value, allowed, "flag")
    assert all(part in str(error) for part in (key, repr(value), allowed, "flag"))
    assert isinstance(error, ConfigError) and not error.retryable


@pytest.mark.parametrize(
    ("key", "value", "source"),
    [
        ("layout", "sideways", "environment"),
        ("tail_mode", "never", "code"),
        ("durability", "none", "flag"),
        ("hot_rounds", "many", "environment"),
        ("inject_notes", 3, "code"),
        ("budget.window_tokens", "large", "environment"),
        ("maintain", "always", "flag"),
        ("summarizer.interface", "telnet", "code"),
        ("summarizer.timeout_s", "soon", "environment"),
    ],
)
def test_a_value_of_the_wrong_kind_names_key_and_source(key: str, value: object, source: str) -> None:
    layers: dict[str, Any] = {"environment": {}}
    if source == "environment":
        layers["environment"] = {"TRIMTAB_" + key.replace(".", "__").upper(): value}
    else:
        layers["flags" if source == "flag" else source] = {key: value}
    with pytest.raises(BadSetting) as caught:
        load_settings(**layers)
    assert caught.value.key == key
    assert caught.value.origin == source
    assert caught.value.value == value


@pytest.mark.parametrize("changes", [{"layout": "sideways"}, {"tail_mode": "never"}, {"durability": "none"}])
def test_a_word_that_is_not_allowed_is_refused_in_code_too(changes: dict[str, Any]) -> None:
    with pytest.raises(BadSetting) as caught:
        Settings(**changes)
    assert caught.value.key == next(iter(changes))


def test_settings_are_frozen_and_merged_makes_new_ones() -> None:
    settings = Settings()
    with pytest.raises(AttributeError):
        settings.mode = "none"  # type: ignore[misc]
    changed = settings.merged(mode="window", hot_rounds=2)
    assert (changed.mode, changed.hot_rounds, settings.mode, settings.hot_rounds) == ("window", 2, "auto", 10)
    with pytest.raises(BadSetting):
        settings.merged(hot_rounds=0)


# ---------------------------------------------------------------- presets [C7]


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("single_question", {"mode": "none"}),
        ("customer_service", {"mode": "compact", "recall": True}),
        ("coding", {"mode": "compact", "overlap_rounds": 5}),
        ("long_document", {"mode": "retrieval"}),
        ("role_play", {"mode": "hierarchical"}),
        ("several_agents", {"mode": "compact", "recall": True}),
        ("small_window", {"mode": "compact", "overlap_rounds": 3}),
    ],
)
def test_presets_by_scenario(name: str, wanted: dict[str, Any]) -> None:
    settings = preset(name)
    assert {key: getattr(settings, key) for key in wanted} == wanted
    assert settings.layout in LAYOUTS and settings.mode in MODES


def test_there_is_a_preset_for_each_of_the_seven_scenarios_and_small_window_is_8k() -> None:
    assert len(PRESETS) == 7
    assert preset("small_window").budget.window_tokens == 8_192


def test_changes_go_before_a_preset_and_an_unknown_one_names_those_there_are() -> None:
    assert preset("role_play", hot_rounds=4, budget={"window_tokens": 9_000}).hot_rounds == 4
    assert preset("role_play", mode="window").mode == "window"
    with pytest.raises(NotFound, match="small_window"):
        preset("huge_window")


def test_a_preset_is_not_changed_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIMTAB_MODE", "window")
    assert preset("role_play").mode == "hierarchical"
