"""Completion scripts in the languages of bash, zsh and fish, from what the parsers declare."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opkg.cli.completion import Argument, Line

_GLOBAL = ("--help", "--version", "--debug")


# ---- bash

_BASH = """\
# bash completion of opkg: eval "$(opkg completion bash)"
_opkg_offer() {
    local one
    while IFS= read -r one; do
        if [[ -n $one && $one == "$2"* ]]; then COMPREPLY+=("$one"); fi
    done <<< "$1"
}
_opkg_paths() {
    mapfile -t COMPREPLY < <(compgen "$1" -- "$2")
    compopt -o filenames 2>/dev/null
}
_opkg() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} program=${COMP_WORDS[0]} command= i
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        if [[ ${COMP_WORDS[i]} != -* ]]; then command=${COMP_WORDS[i]}; break; fi
    done
    case $command in
"""


def bash(lines: Sequence[Line]) -> str:
    """For `eval "$(opkg completion bash)"`."""
    parts = [_BASH, f"    '') _opkg_offer {_bash_words((*_GLOBAL, *(line.name for line in lines)))} \"$word\" ;;\n"]
    for line in lines:
        parts.append(f"    {line.name})\n        case $before in\n")
        for option in line.options:
            offer = _bash_offer(option)
            if option.takes_value:
                parts.append(f"        {'|'.join(option.flags)}) {offer or ':'}; return ;;\n")
        flags = _bash_words(flag for option in line.options for flag in option.flags)
        parts.append(f'        esac\n        if [[ $word == -* ]]; then _opkg_offer {flags} "$word"; return; fi\n')
        parts += [f"        {offer}\n" for offer in _bash_places(line)]
        parts.append("        ;;\n")
    return "".join([*parts, "    esac\n}\ncomplete -F _opkg opkg\n"])


def _bash_words(words: Iterable[str]) -> str:
    return "$'" + "\\n".join(words) + "'"


def _bash_places(line: Line) -> Iterator[str]:
    """What the places of a command take; after a word of fixed choices the next place counts."""
    places = [(place, _bash_offer(place)) for place in line.places]
    first = places[0][0] if places else None
    if len(places) > 1 and first is not None and first.choices:
        yield f"if ((i + 1 == COMP_CWORD)); then {places[0][1]}; else {places[1][1] or ':'}; fi"
    elif places and places[0][1]:
        yield places[0][1]


def _bash_offer(argument: Argument) -> str:
    if argument.choices:
        return f'_opkg_offer {_bash_words(argument.choices)} "$word"'
    if argument.kind in ("files", "folders"):
        return f'_opkg_paths {"-f" if argument.kind == "files" else "-d"} "$word"'
    return f'_opkg_offer "$("$program" __complete {argument.kind} 2>/dev/null)" "$word"' if argument.kind else ""


# ---- zsh

_ZSH = """\
#compdef opkg
# zsh completion of opkg: eval "$(opkg completion zsh)", after compinit; or save it as _opkg in a folder of $fpath
_opkg_ask() { local -a found; found=(${(f)"$(opkg __complete $1 2>/dev/null)"}); compadd -a found; }
_opkg() {
    local -a commands
    local curcontext=$curcontext state line
    commands=(
"""
_ZSH_COMMANDS = """\
    )
    _arguments -C '--help[show this help]' '--version[show the version]' '--debug[show the traceback of an error]' \\
        '1: :->command' '*:: :->arguments'
    if [[ $state == command ]]; then _describe command commands; return; fi
    case $words[1] in
"""
_ZSH_END = """\
    esac
}
if [[ $funcstack[1] == _opkg ]]; then _opkg "$@"; else compdef _opkg opkg; fi
"""


def zsh(lines: Sequence[Line]) -> str:
    """For `eval "$(opkg completion zsh)"` or a file `_opkg` in a folder of `$fpath`."""
    parts = [_ZSH, *(f"        {shlex.quote(f'{line.name}:{line.help}')}\n" for line in lines), _ZSH_COMMANDS]
    for line in lines:
        words = [*(text for option in line.options for text in _zsh_option(option)), *_zsh_places(line)]
        parts.append(f"    {line.name}) _arguments {' '.join(map(shlex.quote, words))} ;;\n" if words else "")
    return "".join([*parts, _ZSH_END])


def _zsh_option(option: Argument) -> Iterator[str]:
    text = option.help.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")
    for flag in option.flags:
        value = f": :{_zsh_action(option)}" if option.takes_value else ""
        yield f"*{flag}[{text}]{value}"


def _zsh_places(line: Line) -> Iterator[str]:
    for number, place in enumerate(line.places, 1):
        where = "*" if place.repeats else str(number)
        yield f"{where}: :{_zsh_action(place)}"


def _zsh_action(argument: Argument) -> str:
    if argument.choices:
        return f"({' '.join(argument.choices)})"
    if argument.kind in ("files", "folders"):
        return "_files" if argument.kind == "files" else "_files -/"
    # A leading blank keeps the options of compadd out of its arguments.
    return f" _opkg_ask {argument.kind}" if argument.kind else "( )"


# ---- fish


def fish(lines: Sequence[Line]) -> str:
    """For `opkg completion fish | source`."""
    out = ["# fish completion of opkg: opkg completion fish | source\n", "complete -c opkg -f\n"]
    for flag in _GLOBAL:
        out.append(f"complete -c opkg -n __fish_use_subcommand -l {flag.removeprefix('--')}\n")
    for line in lines:
        out.append(f"complete -c opkg -n __fish_use_subcommand -a {line.name} -d {_fish(line.help)}\n")
        seen = f"complete -c opkg -n {_fish(f'__fish_seen_subcommand_from {line.name}')}"
        for option in line.options:
            flags = "".join(f" -l {f[2:]}" if f.startswith("--") else f" -s {f[1:]}" for f in option.flags)
            alone = " -r" if option.kind == "files" else " -x"
            value = f"{alone}{_fish_values(option)}" if option.takes_value else ""
            out.append(f"{seen}{flags}{value} -d {_fish(option.help)}\n")
        out += [f"{seen}{_fish_values(place)}\n" for place in line.places if _fish_values(place)]
    return "".join(out)


def _fish_values(argument: Argument) -> str:
    if argument.choices:
        return f" -a {_fish(' '.join(argument.choices))}"
    if argument.kind in ("files", "folders"):
        return " -F" if argument.kind == "files" else " -a '(__fish_complete_directories)'"
    return f" -a '(opkg __complete {argument.kind} 2>/dev/null)'" if argument.kind else ""


def _fish(text: str) -> str:
    quoted = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{quoted}'"
