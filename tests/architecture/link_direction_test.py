#!/usr/bin/env python3
"""Tests that each folder of services asks the linker only for what it, or a folder that it uses, has.

    link_direction_test.py LIBRARIES FOLDER:USED,USED ...

LIBRARIES holds libkinloop_FOLDER.a; folders stand in their order, each after those that it uses.
"""
import pathlib
import subprocess
import sys
from typing import Dict, List, Set

STRONG = set("TDBR")  # templates and inline functions, which every file may have, are weak


def symbols(archive: pathlib.Path, kinds: Set[str]) -> Set[str]:
    lines = subprocess.run(["nm", "--format=posix", str(archive)], check=True, capture_output=True, text=True).stdout
    words = (line.split() for line in lines.splitlines())
    return {word[0] for word in words if len(word) > 1 and word[1] in kinds}


def objections(folder: str, wanted: Set[str], uses: Set[str], homes: Dict[str, str]) -> List[str]:
    """What `folder` wants of folders that it does not use."""
    found = sorted(symbol for symbol in wanted if homes.get(symbol, folder) not in uses | {folder})
    return [f"services/{folder} wants {symbol} of services/{homes[symbol]}, which it does not use" for symbol in found]


def main() -> int:
    libraries = pathlib.Path(sys.argv[1])
    used: Dict[str, Set[str]] = {}
    for argument in sys.argv[2:]:
        folder, _, names = argument.partition(":")
        direct = [name for name in names.split(",") if name]
        unknown = [name for name in direct if name not in used]
        assert not unknown, f"{folder} uses {unknown}, which do not stand before it"
        used[folder] = set(direct).union(*(used[name] for name in direct))

    archives = {folder: libraries / f"libkinloop_{folder}.a" for folder in used}
    homes = {symbol: folder for folder, archive in archives.items() for symbol in symbols(archive, STRONG)}
    wanted = {folder: symbols(archive, {"U"}) for folder, archive in archives.items()}
    crossing = sum(1 for folder in used for symbol in wanted[folder] if homes.get(symbol, folder) != folder)
    assert crossing > 100, f"only {crossing} symbols cross folders: are these the right libraries?"
    last = list(used)[-1]
    assert objections(last, wanted[last], set(), homes), "a folder that may use nothing is not objected to"

    wrong = [line for folder in used for line in objections(folder, wanted[folder], used[folder], homes)]
    print("\n".join(wrong[:40]) or f"{crossing} symbols cross folders, all in one direction")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
