#!/usr/bin/env python3
"""Makes the documentation site: pages of docs/, README, and a reference taken from the program and the wire schema.

usage: build.py FOLDER [--kinloop PATH]     (needs mkdocs-material and libjs-katex; ./dev docs installs them and calls this)

FOLDER/site can be served by any server and asks nothing of the network; search works where it is served by one. A link or
an anchor that leads nowhere is an error.
"""
import argparse
import html.parser
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

from command_help import all_helps

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
KATEX = pathlib.Path("/usr/share/javascript/katex")
# Pages that stand elsewhere in the repository, and their names in the site.
PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changes.md", "deploy/README.md": "deploy.md"}
LINK = re.compile(r"(?<=\]\()([^)\s#]+)(#[^)\s]*)?(?=\))")


def page_of(path):
    """Where a file of the repository is in the site: its page, or a copy of it."""
    if str(path) in PAGES:
        return pathlib.Path(PAGES[str(path)])
    if path.parts[0] == "docs" and path.parts[1:2] != ("site",):
        return pathlib.Path(*path.parts[1:])
    return pathlib.Path("files", path)


def with_links_of_the_site(text, source, copies):
    """Links of a page, from where the page is in the site; files that are no pages are remembered to be copied."""
    def moved(match):
        target, anchor = match.group(1), match.group(2) or ""
        if re.match(r"[a-z]+:", target):
            return match.group(0)
        path = (REPOSITORY / source.parent / target).resolve().relative_to(REPOSITORY)
        if (REPOSITORY / path).is_dir():
            inside = REPOSITORY / path / "README.md"
            if not inside.exists():
                copies.add(path)
                return relative(pathlib.Path("files", path, "index.md"), page_of(source))
            path = path / "README.md"
        if not (REPOSITORY / path).exists():
            sys.exit(f"{source}: {target} leads nowhere")
        if page_of(path).parts[0] == "files":
            copies.add(path)
            return relative(page_of(path), page_of(source))
        return relative(page_of(path), page_of(source)) + anchor

    parts = re.split(r"(^```.*?^```)", text, flags=re.M | re.S)
    return "".join(part if part.startswith("```") else LINK.sub(moved, part) for part in parts)


def relative(target, page):
    up = [".."] * (len(page.parts) - 1)
    return "/".join([*up, *target.parts])


def github_lists(text):
    """Python's Markdown wants an empty line before a list; the pages are written for renderers that do not."""
    return re.sub(r"^(?!\s*(?:[-*]|\d+\.) |\s*$|[|>#]|  )(.+)\n(?=(?:[-*]|\d+\.) )", r"\1\n\n", text, flags=re.M)


def write_pages(pages):
    copies = set()
    sources = [pathlib.Path(name) for name in PAGES]
    sources += [path.relative_to(REPOSITORY) for path in sorted((REPOSITORY / "docs").rglob("*.md"))]
    for source in sources:
        text = (REPOSITORY / source).read_text()
        target = pages / page_of(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(github_lists(with_links_of_the_site(text, source, copies)))
    for path in sorted((REPOSITORY / "docs").rglob("*")):
        if path.suffix in {".svg", ".png", ".json", ".py"} and HERE not in path.parents and "__pycache__" not in path.parts:
            target = pages / path.relative_to(REPOSITORY / "docs")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
    for path in copies:
        target = pages / "files" / path
        if (REPOSITORY / path).is_dir():
            target.mkdir(parents=True, exist_ok=True)
            names = sorted(file.name for file in (REPOSITORY / path).iterdir() if file.is_file())
            lines = [f"# {path}\n"] + [f"- [{name}]({name})" for name in names]
            (target / "index.md").write_text("\n".join(lines) + "\n")
            for name in names:
                shutil.copy(REPOSITORY / path / name, target / name)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(REPOSITORY / path, target)


def command_line_page(kinloop):
    lines = ["# Command line", "", "What `--help` says, verb by verb.", ""]
    for verbs, text in all_helps(kinloop).items():
        lines += ["#" * (2 if len(verbs) < 2 else 3) + " " + " ".join(["kinloop", *verbs]), "", "```text", text.rstrip(), "```", ""]
    return "\n".join(lines)


MESSAGE = re.compile(r"^(?P<about>(?:[ \t]*//[^\n]*\n)*)[ \t]*(?P<kind>message|enum) (?P<name>\w+) \{(?P<body>.*?)^\}", re.M | re.S)
FIELD = re.compile(r"^(?P<about>(?:[ \t]*//[^\n]*\n)*)[ \t]*(?P<type>(?:repeated |optional )?[\w.<>, ]+?) ?(?P<name>\b\w+) = (?P<number>\d+)"
                   r"(?: \[[^\]]*\])?;(?:[ \t]*//(?P<behind>[^\n]*))?", re.M)


def comment(text):
    return " ".join(line.strip().lstrip("/").strip() for line in (text or "").splitlines()).strip().replace("|", "\\|")


def messages_page():
    lines = ["# Messages", "", "The wire schema, `kinloop.v1`, as its files say it.", ""]
    for file in sorted((REPOSITORY / "proto/kinloop/v1").glob("*.proto")):
        lines += [f"## {file.name}", ""]
        for message in MESSAGE.finditer(file.read_text()):
            about = comment(message["about"])
            lines += [f"### {message['name']}", ""] + ([about, ""] if about else [])
            fields = list(FIELD.finditer(message["body"]))
            if fields:
                lines += ["| number | field | type | |", "|---|---|---|---|"]
                for field in fields:
                    said = " ".join(filter(None, [comment(field["about"]), comment(field["behind"])]))
                    kind = "" if message["kind"] == "enum" else f"`{field['type'].strip()}`"
                    lines.append(f"| {field['number']} | `{field['name']}` | {kind} | {said} |")
                lines.append("")
    return "\n".join(lines)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def metrics_page(kinloop):
    """From a plant that runs."""
    address = f"127.0.0.1:{free_port()}"
    with tempfile.TemporaryDirectory() as runs:
        plant = subprocess.Popen([kinloop, "run", REPOSITORY / "configs/rigs/pendulum.yaml", "--allow-degraded", "--panel", address,
                                  "--runs", runs], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            text = scraped(f"http://{address}/metrics")
        finally:
            plant.terminate()
            plant.wait(20)
    kinds = dict(re.findall(r"^# TYPE (\S+) (\S+)$", text, re.M))
    lines = ["# Metrics", "", "What `/metrics` of a page offers to Prometheus, as a plant that runs says it.", "",
             "| metric | kind | |", "|---|---|---|"]
    lines += [f"| `{name}` | {kinds.get(name, '')} | {said} |" for name, said in re.findall(r"^# HELP (\S+) (.*)$", text, re.M)]
    return "\n".join(lines) + "\n"


def scraped(url):
    for _ in range(200):
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                text = answer.read().decode()
                if "# HELP" in text:
                    return text
        except OSError:
            pass
        time.sleep(0.1)
    sys.exit(f"{url} shows no metrics")


class Anchors(html.parser.HTMLParser):
    """Names and links of a page of the site."""

    def __init__(self, text):
        super().__init__()
        self.names, self.links = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        for key in ("id", "name"):
            if values.get(key):
                self.names.add(values[key])
        for key in ("href", "src"):
            if values.get(key):
                self.links.append(values[key])


def dead_links(site):
    site = site.resolve()
    pages = {path: Anchors(path.read_text()) for path in site.rglob("*.html") if path.name != "404.html"}
    dead = []
    for path, page in pages.items():
        for link in page.links:
            url = urllib.parse.urlparse(link)
            if url.scheme or url.netloc:
                if tag_needs_network(link):
                    dead.append(f"{path.relative_to(site)}: {link} is loaded from the network")
                continue
            target = (path.parent / urllib.parse.unquote(url.path)).resolve() if url.path else path
            if target.is_dir():
                target = target / "index.html"
            fragment = urllib.parse.unquote(url.fragment)
            if not target.exists():
                dead.append(f"{path.relative_to(site)}: {link} leads nowhere")
            elif fragment and target in pages and fragment not in pages[target].names:
                dead.append(f"{path.relative_to(site)}: {link}: there is no such heading")
    return dead


def tag_needs_network(link):
    return bool(re.match(r"https?://.*\.(css|js|woff2?)(\?|$)", link))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--kinloop", type=pathlib.Path, default=REPOSITORY / "build/bin/kinloop")
    given = parser.parse_args()
    kinloop = given.kinloop.resolve()

    pages = given.folder / "pages"
    shutil.rmtree(pages, ignore_errors=True)
    (pages / "reference").mkdir(parents=True)
    write_pages(pages)
    (pages / "reference/command-line.md").write_text(command_line_page(kinloop))
    (pages / "reference/messages.md").write_text(messages_page())
    (pages / "reference/metrics.md").write_text(metrics_page(kinloop))
    assets = pages / "assets/katex"
    assets.mkdir(parents=True)
    for name in ("katex.min.css", "katex.min.js", "contrib/auto-render.js"):
        shutil.copy(KATEX / name, assets)
    shutil.copytree(KATEX / "fonts", assets / "fonts", symlinks=False)
    for name in ("formulas.js", "site.css"):
        shutil.copy(HERE / name, pages / "assets")
    shutil.copy(HERE / "mkdocs.yml", given.folder)

    subprocess.run(["mkdocs", "build", "--quiet", "--clean", "--config-file", given.folder / "mkdocs.yml"], check=True)
    dead = dead_links(given.folder / "site")
    for line in dead:
        print(line, file=sys.stderr)
    if dead:
        sys.exit(f"build.py: {len(dead)} links lead nowhere")
    print(f"{given.folder / 'site'}: {len(list((given.folder / 'site').rglob('*.html')))} pages; to look at it: "
          f"python3 -m http.server -d {given.folder / 'site'} 8000")


if __name__ == "__main__":
    main()
