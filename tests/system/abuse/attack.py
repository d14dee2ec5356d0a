"""Abuses a running plant, again and again, until it is killed: what the benchmark of stops does to it.

    attack.py FOLDER ABUSER[:ARGUMENT...]...

FOLDER is where the plant's sockets are, ABUSER a function of abusers.py. An argument in capitals is a constant of that module.
Says "at it" once all of them are. Exit code 77 where Python lacks what it needs.
"""

import pathlib
import sys
import time

try:
    import zmq  # noqa: F401: what all of them need

    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
    import abusers
except (ImportError, FileNotFoundError) as missing:
    print(f"skipped: {missing}", flush=True)
    sys.exit(77)

ROUND_S = 1.0  # those that do something once do it again


def endpoints_in(folder):
    """Addresses by socket, local ones first; those of HTTP by "panel_http" and "stop_http"."""
    found = {}
    for line in (pathlib.Path(folder) / "endpoints").read_text().splitlines():
        name, address = line.split(" ", 1)
        if address.startswith("http://"):
            found[name + "_http"] = address
        elif name not in found or address.startswith("ipc://"):
            found[name] = address
    return found


def read_abuser(text, endpoints):
    name, *arguments = text.split(":")
    return (getattr(abusers, name), endpoints, *map(read_argument, arguments))


def read_argument(word):
    if word.isdigit():
        return int(word)
    return getattr(abusers, word) if word.isupper() else word


def main():
    endpoints = endpoints_in(sys.argv[1])
    chosen = [read_abuser(text, endpoints) for text in sys.argv[2:]]
    while True:
        with abusers.run_apart(*chosen):
            print("at it", flush=True)
            time.sleep(ROUND_S)


if __name__ == "__main__":
    main()
