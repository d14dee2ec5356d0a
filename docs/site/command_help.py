"""What `kinloop VERB --help` says: verbs and their options. For the reference page and for the test of the docs' commands."""
import re
import subprocess


def help_of(kinloop, verbs=()):
    run = subprocess.run([kinloop, *verbs, "--help"], capture_output=True, text=True, check=True)
    return run.stdout


def verbs_in(text):
    """Names of the subcommands that a help lists, in its order."""
    listed = re.search(r"^Subcommands:\n((?:(?: .*)?\n)+?)(?=\n\S|\Z)", text, re.M)
    return re.findall(r"^  (\S+)", listed.group(1), re.M) if listed else []


def options_in(text):
    """All that begins with hyphens in the lines of options."""
    found = set()
    for line in re.findall(r"^  (-.*)$", text, re.M):
        names = line.split("  ")[0]
        found.update(re.findall(r"(?<![\w-])(--?[A-Za-z][\w-]*)", names))
    return found


def all_helps(kinloop, verbs=()):
    """{verbs: text}, the program itself first, each verb before those below it."""
    text = help_of(kinloop, verbs)
    helps = {tuple(verbs): text}
    for verb in verbs_in(text):
        helps.update(all_helps(kinloop, (*verbs, verb)))
    return helps
