#!/usr/bin/env python3
"""The pictures of the theory are those that its scripts draw, and each is shown by a page.

    pictures_test.py ROOT

Those of simulated motions are not simulated again: only that a script has them is tested.
"""
import pathlib
import re
import sys


def main() -> int:
    theory = pathlib.Path(sys.argv[1]) / "docs" / "theory"
    folder = theory / "pictures"
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(folder))
    import draw
    import examples

    wrong = []
    files = {path.stem for path in folder.glob("*.svg")}
    for name in files ^ (set(draw.PICTURES) | set(examples.PICTURES)):
        wrong.append(f"{name}: a picture without a script, or a script without its picture")
    for name in set(draw.PICTURES) & files:
        if draw.PICTURES[name]() != (folder / f"{name}.svg").read_text():
            wrong.append(f"{name}.svg is not what draw.py draws: run it")
    shown = set()
    for page in theory.glob("*.md"):
        shown |= set(re.findall(r"\]\(pictures/(\w+)\.svg\)", page.read_text(encoding="utf-8")))
    wrong += [f"{name}.svg is shown by no page" for name in sorted(files - shown)]
    wrong += [f"{name}.svg is shown, and is not there" for name in sorted(shown - files)]
    print("\n".join(wrong) or f"{len(files)} pictures")
    return 1 if wrong or not files else 0


if __name__ == "__main__":
    sys.exit(main())
