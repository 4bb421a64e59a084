"""The command line. A command's module is imported when it is used, what it needs when it runs, so that `--help` is quick."""

from __future__ import annotations

from importlib import import_module

import click

_COMMANDS = {
    "demo": "trimtab.cli.demo",
    "eval": "trimtab.cli.eval",
    "run": "trimtab.cli.run",
    "show": "trimtab.cli.show",
    "library": "trimtab.cli.library",
    "recall": "trimtab.cli.recall",
}


class _Commands(click.Group):
    """A group whose commands are found by name: module `trimtab.cli.NAME`, attribute `command`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command = import_module(_COMMANDS[cmd_name]).command
        assert isinstance(command, click.Command)
        return command


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="trimtab")
def main() -> None:
    """Trimtab decides what a long-running agent sees on each request, and shows why."""
