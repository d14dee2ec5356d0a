#!/usr/bin/env python3
"""Writes the compilation database that ./dev lint checks. clang-tidy spends nearly all its time in the headers, so files of
one folder with one command are checked together, as they are compiled: a batch includes them.

    lint_batches.py <compile_commands.json> <folder for the batches and their database> <lines of a batch> <regex on paths>

Prints the number of batches. With 0 lines each file is checked by itself: misc-unused-using-decls and
misc-unused-alias-decls look at no file that is included.
"""

import collections
import json
import os
import pathlib
import re
import shlex
import sys

# What only gcc understands.
GCC_ONLY = re.compile(r"-m(move|store)-max=\d+")


def batches_of(sources, max_lines):
    """Sources in their order, divided where a batch would be longer than so many lines."""
    batches = []
    lines = 0
    for source in sorted(sources):
        length = len(source.read_text().splitlines())
        if not batches or lines + length > max_lines:
            batches.append([])
            lines = 0
        batches[-1].append(source)
        lines += length
    return batches


def main(database, folder, max_lines, pattern):
    folder = pathlib.Path(folder).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.cpp"):
        old.unlink()

    groups = collections.defaultdict(list)
    for entry in json.loads(pathlib.Path(database).read_text()):
        source = pathlib.Path(entry["file"])
        if re.search(pattern, str(source)):
            arguments = [a for a in shlex.split(entry["command"]) if a != entry["file"] and not GCC_ONLY.fullmatch(a)]
            output = arguments.index("-o")
            del arguments[output : output + 2]
            groups[entry["directory"], source.parent, tuple(arguments)].append(source)

    entries = []
    for (directory, parent, arguments), sources in sorted(groups.items()):
        for batch in batches_of(sources, int(max_lines)):
            file = batch[0]
            if len(batch) > 1:
                # By this name the static analyzer knows that what is included is code, not a header, which it passes over.
                name = os.path.relpath(parent).replace("/", "_")
                file = folder / f"UnifiedSource_{name}_{len(entries)}.cpp"
                file.write_text("".join(f'#include "{source}"  // NOLINT(bugprone-suspicious-include)\n' for source in batch))
            entries.append({"directory": directory, "file": str(file), "arguments": [*arguments, str(file)]})
    (folder / "compile_commands.json").write_text(json.dumps(entries, indent=1))
    print(len(entries))


if __name__ == "__main__":
    main(*sys.argv[1:])
