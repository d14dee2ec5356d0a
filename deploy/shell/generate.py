#!/usr/bin/env python3
"""Writes manual pages and completions for bash, zsh and fish, from what kinloop's --help says of each verb.

usage: generate.py FOLDER [--kinloop PATH]

FOLDER gets man1/kinloop.1 and one page a verb, bash/kinloop, zsh/_kinloop and fish/kinloop.fish.
"""
import argparse
import pathlib
import re
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "docs/site"))
import command_help  # noqa: E402

SECTION = re.compile(r"^(Positionals|Options|Subcommands):\n((?:  .*\n|\n(?=  ))+)", re.M)


class Entry:
    """A line of a help: names ("-o,--out"), what follows them ("TEXT=-"), and what is said."""

    def __init__(self, names, value, about):
        self.names, self.value, self.about = names, value, about


def entries_in(text):
    """{section: entries} of one help."""
    sections = {"Positionals": [], "Options": [], "Subcommands": []}
    for name, body in SECTION.findall(text):
        for line in body.splitlines():
            head = re.match(r"^  (\S+)((?: \S+)*)(?:\s{2,}(.*))?$", line)
            if head and not line.startswith("   "):
                sections[name].append(Entry(head[1].split(","), head[2].strip(), head[3] or ""))
            elif sections[name] and line.strip():
                sections[name][-1].about += " " + line.strip()
    return sections


def about_of(text):
    """The sentence that a help begins with."""
    return text.split("\nUsage:")[0].strip().splitlines()[-1] if "\nUsage:" in text else text.splitlines()[0]


def roff(text):
    return re.sub(r"^([.'])", r"\\&\1", text.replace("\\", "\\e").replace("-", "\\-"), flags=re.M)


def manual(verbs, text, others):
    name = "-".join(["kinloop", *verbs])
    usage = re.search(r"^Usage: (.*)$", text, re.M)
    sections = entries_in(text)
    lines = [f'.TH {name.upper()} 1 "" Kinloop "User commands"', ".SH NAME", f"{roff(name)} \\- {roff(about_of(text))}", ".SH SYNOPSIS",
             f".B {roff(usage[1] if usage else ' '.join(['kinloop', *verbs]))}"]
    for title in ("Positionals", "Options", "Subcommands"):
        if not sections[title]:
            continue
        lines.append(f".SH {title.upper()}")
        for entry in sections[title]:
            lines += [".TP", f".B {roff(', '.join(entry.names))} {roff(entry.value)}".rstrip(), roff(entry.about)]
    rest = text
    for last in SECTION.finditer(text):
        rest = text[last.end():]
    if rest.strip():
        lines += [".SH NOTES", ".nf", roff(rest.strip("\n")), ".fi"]
    if others:
        lines += [".SH SEE ALSO", ", ".join(f"\\fB{roff(other)}\\fR(1)" for other in others)]
    return "\n".join(lines) + "\n"


def words_of(sections):
    """All that may stand next: verbs, then options."""
    verbs = [entry.names[0] for entry in sections["Subcommands"]]
    return verbs, [name for entry in sections["Options"] for name in entry.names]


def bash(helps):
    lines = ["# bash completion for kinloop, written by deploy/shell/generate.py", "_kinloop() {",
             "  local word=${COMP_WORDS[COMP_CWORD]} verbs='' i", "  for ((i = 1; i < COMP_CWORD; ++i)); do",
             "    case \"$verbs ${COMP_WORDS[i]}\" in"]
    for verbs in helps:
        if verbs:
            lines.append(f"      ' {' '.join(verbs)}') verbs=' {' '.join(verbs)}' ;;")
    lines += ["    esac", "  done", "  local below='' options=''", "  case $verbs in"]
    for verbs, text in helps.items():
        below, options = words_of(entries_in(text))
        lines.append(f"    '{''.join(' ' + verb for verb in verbs)}') below='{' '.join(below)}' options='{' '.join(options)}' ;;")
    lines += ["  esac", "  if [[ $word == -* ]]; then", "    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")", "  else",
              "    mapfile -t COMPREPLY < <(compgen -W \"$below\" -- \"$word\"; compgen -f -- \"$word\")", "  fi", "}",
              "complete -o filenames -F _kinloop kinloop"]
    return "\n".join(lines) + "\n"


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def zsh(helps):
    lines = ["#compdef kinloop", "# zsh completion for kinloop, written by deploy/shell/generate.py", "local verbs='' i",
             "for ((i = 2; i < CURRENT; ++i)); do", "  case \"$verbs ${words[i]}\" in"]
    for verbs in helps:
        if verbs:
            lines.append(f"    ' {' '.join(verbs)}') verbs=' {' '.join(verbs)}' ;;")
    lines += ["  esac", "done", "local -a found options", "case $verbs in"]
    for verbs, text in helps.items():
        sections = entries_in(text)
        found = " ".join(quoted(f"{entry.names[0]}:{entry.about}") for entry in sections["Subcommands"])
        options = " ".join(quoted(f"{name}:{entry.about}") for entry in sections["Options"] for name in entry.names)
        lines.append(f"  '{''.join(' ' + verb for verb in verbs)}') found=({found}); options=({options}) ;;")
    lines += ["esac", "if [[ ${words[CURRENT]} == -* ]]; then", "  _describe option options", "else",
              "  (( ${#found} )) && _describe verb found", "  _files", "fi"]
    return "\n".join(lines) + "\n"


def fish(helps):
    lines = ["# fish completion for kinloop, written by deploy/shell/generate.py"]
    for verbs, text in helps.items():
        sections = entries_in(text)
        below = [entry.names[0] for entry in sections["Subcommands"]]
        seen = "; and ".join([f"__fish_seen_subcommand_from {verb}" for verb in verbs])
        none_below = f"not __fish_seen_subcommand_from {' '.join(below)}" if below else ""
        here = "; and ".join(filter(None, [seen, none_below]))
        when = f" -n {quoted(here)}" if here else ""
        for entry in sections["Subcommands"]:
            lines.append(f"complete -c kinloop{when} -f -a {entry.names[0]} -d {quoted(entry.about)}")
        for entry in sections["Options"]:
            flags = "".join(f" -l {name[2:]}" if name.startswith("--") else f" -s {name[1:]}" for name in entry.names)
            takes = " -r" if entry.value else ""
            lines.append(f"complete -c kinloop{when}{flags}{takes} -d {quoted(entry.about)}")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--kinloop", type=pathlib.Path, default=REPOSITORY / "build/bin/kinloop")
    given = parser.parse_args()

    helps = command_help.all_helps(given.kinloop.resolve())
    pages = {"-".join(["kinloop", *verbs]): (verbs, text) for verbs, text in helps.items()}
    for name, (verbs, text) in pages.items():
        above = ["-".join(["kinloop", *verbs[:-1]])] if verbs else [page for page, (below, _) in pages.items() if len(below) == 1]
        write(given.folder / "man1" / f"{name}.1", manual(verbs, text, above))
    write(given.folder / "bash/kinloop", bash(helps))
    write(given.folder / "zsh/_kinloop", zsh(helps))
    write(given.folder / "fish/kinloop.fish", fish(helps))


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


if __name__ == "__main__":
    main()
