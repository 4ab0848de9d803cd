"""Scripts that complete the command `dpp` in a shell, made from what it can be told."""

import argparse

from dpp_client.command.arguments import commands_of, parser

_BASH = """\
_dpp() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}"
    local before="${{COMP_WORDS[COMP_CWORD-1]}}"
    case "$before" in
        {files}) COMPREPLY=($(compgen -f -- "$word")); return ;;
    esac
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "{commands}" -- "$word"))
        return
    fi
    case "${{COMP_WORDS[1]}}" in
{cases}
    esac
}}
complete -F _dpp dpp
"""


def completion_script(shell: str) -> str:
    commands = commands_of(parser())
    if shell == "fish":
        return _fish(commands)
    bash = _BASH.format(
        commands=" ".join(commands),
        files="|".join(sorted({option for each in commands.values() for option in _file_options(each)})),
        cases="\n".join(
            f'        {name}) COMPREPLY=($(compgen{_kinds(each)} -W "{" ".join(_words(each))}" -- "$word")) ;;'
            for name, each in commands.items()
        ),
    )
    # zsh reads the script of bash, after this line.
    return f"autoload -U +X bashcompinit && bashcompinit\n{bash}" if shell == "zsh" else bash


def _fish(commands: dict[str, argparse.ArgumentParser]) -> str:
    lines = [f"complete -c dpp -f -n __fish_use_subcommand -a {name}" for name in commands]
    for name, each in commands.items():
        inside = f"complete -c dpp -n '__fish_seen_subcommand_from {name}'"
        files = _file_options(each)
        lines += [
            f"{inside} -l {word.removeprefix('--')}{' -r -F' if word in files else ''}"
            if word.startswith("--")
            else f"{inside} -f -a {word}"
            for word in _words(each)
        ]
    return "\n".join(lines) + "\n"


def _words(command: argparse.ArgumentParser) -> list[str]:
    """Its long options, and what its first argument may be."""
    options = [option for action in command._actions for option in action.option_strings if option.startswith("--")]
    positional = [action for action in command._actions if not action.option_strings]
    choices = [str(choice) for action in positional for choice in action.choices or ()]
    return [*choices, *options]


def _file_options(command: argparse.ArgumentParser) -> list[str]:
    return [option for action in command._actions if action.metavar == "FILE" for option in action.option_strings]


def _kinds(command: argparse.ArgumentParser) -> str:
    """For bash: whether a file may stand where no option does."""
    takes_file = any(action.metavar == "FILE" and not action.option_strings for action in command._actions)
    return " -f" if takes_file else ""
