#!/usr/bin/env python3
"""Writes man pages and completions for bash, zsh and fish from the output of `subcore help`.

usage: command_pages.py SUBCORE PREFIX

They go to PREFIX/share, where man and the shells look for them. `meson install` calls it with SUBCORE alone, and gives
the prefix in the environment."""
import os
import pathlib
import re
import subprocess
import sys

OPTION = re.compile(r"^  (?:-(\w), |    )--([\w-]+)(?: (\S+))?(?:\s+(.*))?$")
COLUMN = 30   # of an option's explanation


class Command:
    def __init__(self, name, summary, text):
        self.name, self.summary = name, summary
        self.usage = text.splitlines()[0].removeprefix("usage: ")
        self.options = []   # (letter, name, value, explanation)
        head, _, rest = text.partition("\nOptions\n")
        listed, _, after = rest.partition("\n\n")
        for line in listed.splitlines():
            match = OPTION.match(line)
            if match:
                self.options.append([match[1], match[2], match[3], match[4] or ""])
            elif self.options and line.strip():
                self.options[-1][3] = (self.options[-1][3] + " " + line.strip()).strip()
        self.text = (after if rest else head.partition("\n\n")[2].partition("\n\n")[2]).strip("\n")


def output(program, *words):
    return subprocess.run([program, *words], capture_output=True, text=True, check=True).stdout


def commands_of(program):
    overview = output(program, "help")
    block = overview.partition("\nCommands\n")[2].partition("\n\n")[0]
    pairs = [line.split(None, 1) for line in block.splitlines()]
    return [Command(name, summary, output(program, "help", name)) for name, summary in pairs], overview


# ---- man pages -----------------------------------------------------------------------------------------------------


def roff(text):
    return re.sub(r"^([.'])", r"\\&\1", text.replace("\\", "\\e").replace("-", "\\-"), flags=re.M)


def heading(title, version):
    return f'.TH "{title.upper()}" 1 "" "{version}" "Subcore"\n'


def option_line(letter, name, value):
    short = f"\\fB\\-{letter}\\fR, " if letter else ""
    return f"{short}\\fB{roff('--' + name)}\\fR" + (f" \\fI{roff(value)}\\fR" if value else "")


def man_page(command, version):
    page = heading("subcore-" + command.name, version)
    page += f".SH NAME\nsubcore\\-{command.name} \\- {roff(command.summary)}\n"
    page += f".SH SYNOPSIS\n.B {roff(command.usage)}\n"
    if command.options:
        page += ".SH OPTIONS\n"
        for letter, name, value, explanation in command.options:
            page += f".TP\n{option_line(letter, name, value)}\n{roff(explanation)}\n"
    if command.text:
        page += f".SH DESCRIPTION\n.nf\n{roff(command.text)}\n.fi\n"
    return page + ".SH SEE ALSO\n.BR subcore (1)\n"


def main_page(commands, overview, version):
    page = heading("subcore", version)
    page += ".SH NAME\nsubcore \\- simulate NVIDIA GPUs cycle by cycle, without one\n"
    page += ".SH SYNOPSIS\n.B subcore\n.I COMMAND\n[\\fIOPTION\\fR]...\n.SH COMMANDS\n"
    for command in commands:
        page += f".TP\n\\fB{command.name}\\fR\n{roff(command.summary)}\n"
    rest = overview.partition("\nFirst steps\n")[2]
    page += f".SH FIRST STEPS\n.nf\n{roff(rest.strip(chr(10)))}\n.fi\n.SH SEE ALSO\n"
    return page + "\n".join(f".BR subcore\\-{command.name} (1)" for command in commands) + "\n"


# ---- completions ---------------------------------------------------------------------------------------------------

NAMES_OF_GPUS = ("gpu", "diff")
GPUS = "subcore gpus 2>/dev/null | tail -n +2 | cut -d\\  -f1"   # a space, in words of every shell


def words_of(command):
    return " ".join(word for letter, name, *_ in command.options
                    for word in ([f"-{letter}"] if letter else []) + [f"--{name}"])


def bash(commands):
    cases = "\n".join(f'        {c.name}) words="{words_of(c)}" ;;' for c in commands)
    return f"""# Completion of subcore's commands, options and GPUs for bash.
_subcore() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} words=""
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "{' '.join(c.name for c in commands)}" -- "$word"))
        return
    fi
    case $before in
        -g | --gpu | --diff)
            COMPREPLY=($(compgen -W "$({GPUS})" -- "$word"))
            return ;;
    esac
    case ${{COMP_WORDS[1]}} in
{cases}
    esac
    case $word in
        -*) COMPREPLY=($(compgen -W "$words" -- "$word")) ;;
    esac
}}
complete -o default -F _subcore subcore
"""


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def zsh(commands):
    lines = ["#compdef subcore", "# Completion of subcore's commands, options and GPUs for zsh.", "_subcore() {",
             "    if (( CURRENT == 2 )); then", "        local -a commands=("]
    lines += [f"            {quoted(c.name + ':' + c.summary.replace(':', chr(92) + ':'))}" for c in commands]
    lines += ["        )", "        _describe command commands", "        return", "    fi", "    case $words[2] in"]
    for command in commands:
        lines.append(f"        {command.name}) _arguments -S \\")
        for letter, name, value, explanation in command.options:
            explanation = re.sub(r"[\[\]:]", " ", explanation)
            action = "" if not value else f":GPU:($({GPUS}))" if name in NAMES_OF_GPUS else \
                f":{value.replace(':', ' ').replace('[', '').replace(']', '')}:_files"
            for word in ([f"-{letter}"] if letter else []) + [f"--{name}"]:
                lines.append(f"            {quoted('*' + word + '[' + explanation + ']' + action)} \\")
        lines.append("            '*:file:_files' ;;")
    return "\n".join([*lines, "    esac", "}", '_subcore "$@"', ""])


def fish(commands):
    lines = ["# Completion of subcore's commands, options and GPUs for fish."]
    lines += [f"complete -c subcore -n __fish_use_subcommand -a {c.name} -d {quoted(c.summary)}" for c in commands]
    for command in commands:
        for letter, name, value, explanation in command.options:
            line = f"complete -c subcore -n '__fish_seen_subcommand_from {command.name}' -l {name}"
            line += f" -s {letter}" if letter else ""
            line += f" -x -a '({GPUS})'" if name in NAMES_OF_GPUS else " -r" if value else ""
            lines.append(f"{line} -d {quoted(explanation)}")
    return "\n".join([*lines, ""])


def main(program, prefix):
    commands, overview = commands_of(program)
    version = output(program, "version").strip()
    share = pathlib.Path(prefix) / "share"
    files = {"man/man1/subcore.1": main_page(commands, overview, version),
             "bash-completion/completions/subcore": bash(commands), "zsh/site-functions/_subcore": zsh(commands),
             "fish/vendor_completions.d/subcore.fish": fish(commands)}
    files.update({f"man/man1/subcore-{c.name}.1": man_page(c, version) for c in commands})
    for name, text in files.items():
        (share / name).parent.mkdir(parents=True, exist_ok=True)
        (share / name).write_text(text, encoding="utf-8")
    return 0


def run(words):
    prefix = words[1] if len(words) == 2 else os.environ.get("MESON_INSTALL_DESTDIR_PREFIX")
    if prefix and words:
        return main(os.path.abspath(words[0]), prefix)
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
