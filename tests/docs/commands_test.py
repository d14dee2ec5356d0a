#!/usr/bin/env python3
"""Every command of kinloop that README and docs show exists: its verbs, and each option as that verb's --help has it."""
import pathlib
import re
import shlex
import sys
import unittest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "docs/site"))
import command_help  # noqa: E402

PAGES = [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md", REPOSITORY / "CHANGELOG.md", REPOSITORY / "deploy/README.md",
         *sorted((REPOSITORY / "docs").rglob("*.md"))]
# In a block of code a command begins the line; in the text it stands between backquotes.
BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```", re.M | re.S)
SHELLS = {"", "bash", "sh", "text"}
CALL = re.compile(r"^(?:[A-Z_]+=\S+ +|sudo +)*(?:\S*/)?kinloop +(?=[a-z-])(.*)$")


def commands_in(text):
    """What follows `kinloop`, of each command; in a block a line, or a part of one between && and |."""
    lines = [line.strip() for language, block in BLOCK.findall(text) if language in SHELLS
             for line in block.replace("\\\n", " ").splitlines()]
    lines += [line.strip() for line in re.findall(r"^    (\S.*)$", text, re.M)]
    lines += re.findall(r"`(kinloop [^`\n]+)`", BLOCK.sub("", text))
    for line in lines:
        for part in re.split(r"&&|\||;", re.sub(r"(^|\s)#.*$", "", line)):
            call = CALL.match(part.strip())
            if call:
                yield call.group(1)


def flaw_in(command, options):
    """What is wrong with a command; nothing where all of it exists. `options` has the options of each chain of verbs."""
    try:
        words = shlex.split(command)
    except ValueError:
        return ""  # a piece of something longer
    verbs = ()
    allowed = set(options[()])
    for word in words:
        if word.startswith("-") and not re.fullmatch(r"-[\d.].*|-", word):
            name = word.split("=")[0]
            if name not in allowed:
                return f"kinloop {' '.join(verbs)} has no option {name}"
        elif (*verbs, word) in options:
            verbs = (*verbs, word)
            allowed |= options[verbs]
        elif not verbs:
            return f"kinloop has no verb {word}"
    return ""


class Commands(unittest.TestCase):
    def test_all_exist(self):
        options = {verbs: command_help.options_in(text) for verbs, text in command_help.all_helps(PROGRAM).items()}
        flaws, seen = [], 0
        for page in PAGES:
            for command in commands_in(page.read_text()):
                seen += 1
                flaw = flaw_in(command, options)
                if flaw:
                    flaws.append(f"{page.relative_to(REPOSITORY)}: {flaw}, in: kinloop {command}")
        self.assertEqual(flaws, [])
        self.assertGreater(seen, 100)

    def test_those_that_do_not_exist_are_found(self):
        options = {(): {"-h", "--help"}, ("run",): {"--mode", "-t"}, ("ctl",): {"-p"}, ("ctl", "stop"): {"--why"}}
        text = "```\nbuild/bin/kinloop run a.yaml -t 5 --made-up  # so\n$ ls\n```\nSay `kinloop jump` or `kinloop ctl stop --why x`.\n"
        self.assertEqual([flaw_in(command, options) for command in commands_in(text)],
                         ["kinloop run has no option --made-up", "kinloop has no verb jump", ""])


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
