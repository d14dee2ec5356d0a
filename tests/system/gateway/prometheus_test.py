#!/usr/bin/env python3
"""A real Prometheus scrapes a running plant; what the dashboard asks for is there.

Prometheus is Debian's package, unpacked but not installed, so that no daemon of its own starts. Usage:
prometheus_test.py KINLOOP WORK. Exit code 77: it cannot be had here.
"""

import json
import os
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

ROOT = pathlib.Path(__file__).resolve().parents[3]
SKIPPED = 77


def prometheus_in(work):
    """The program, from the system or from the package; None where there is none."""
    if shutil.which("prometheus"):
        return shutil.which("prometheus")
    program = work / "package/usr/bin/prometheus"
    if not program.exists():
        fetch = work / "fetch"
        fetch.mkdir(parents=True, exist_ok=True)
        if subprocess.run(["apt-get", "-qq", "download", "prometheus"], cwd=fetch, capture_output=True).returncode != 0:
            return None
        package = next(fetch.glob("prometheus_*.deb"))
        subprocess.run(["dpkg-deb", "-x", package, work / "package"], check=True)
    return str(program)


def free_port():
    """One that nobody listens at; Prometheus does not tell which it took."""
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        return place.getsockname()[1]


def get(url):
    with urllib.request.urlopen(url, timeout=5) as answer:
        return answer.read().decode()


def wait_for(what, condition, patience_s=60):
    end = time.monotonic() + patience_s
    while time.monotonic() < end:
        try:
            value = condition()
        except OSError:
            value = None
        if value:
            return value
        time.sleep(0.1)
    raise AssertionError(f"no {what} within {patience_s} s")


def line_with(process, pattern):
    for line in process.stderr:
        found = re.search(pattern, line)
        if found:
            return found
    raise AssertionError(f"the program ended without a line like {pattern}")


def main():
    kinloop, work = sys.argv[1], pathlib.Path(sys.argv[2])
    program = prometheus_in(work)
    if program is None:
        print("Prometheus cannot be had here")
        return SKIPPED
    sockets = tempfile.TemporaryDirectory(prefix="kl-", dir="/tmp")
    plant = subprocess.Popen(
        [kinloop, "run", ROOT / "configs/rigs/four_bar.yaml", "--allow-degraded", "--panel", "127.0.0.1:0", "--runs", work / "runs"],
        stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env={**os.environ, "KINLOOP_RUNTIME_DIR": sockets.name})
    scraper = None
    try:
        page = line_with(plant, r"open (http://\S+)").group(1)
        wait_for("health", lambda: get(page + "/healthz") == "ok\n")
        config = work / "prometheus.yml"
        config.write_text(
            "scrape_configs:\n  - job_name: kinloop\n    scrape_interval: 1s\n"
            f"    static_configs: [{{targets: ['{page.removeprefix('http://')}']}}]\n")
        log = (work / "prometheus.log").open("w")
        data = work / "data"
        shutil.rmtree(data, ignore_errors=True)
        base = f"http://127.0.0.1:{free_port()}"
        scraper = subprocess.Popen([program, f"--config.file={config}", f"--storage.tsdb.path={data}",
                                    f"--web.listen-address={base.removeprefix('http://')}"], stderr=log, stdout=log)

        def query(expression):
            answer = get(f"{base}/api/v1/query?" + urllib.parse.urlencode({"query": expression}))
            return json.loads(answer)["data"]["result"]

        wait_for("scrape", lambda: query("up == 1"))
        assert wait_for("steps", lambda: [r for r in query("kinloop_steps_total") if float(r["value"][1]) > 100])
        names = set(re.findall(r"kinloop_[a-z_]+", (ROOT / "deploy/grafana/kinloop.json").read_text()))
        missing = [name for name in sorted(names) if not query(name)]
        assert not missing, f"the dashboard asks for what is not there: {missing}"
        assert wait_for("quantile", lambda: query(
            "histogram_quantile(0.5, sum by (le) (rate(kinloop_step_duration_seconds_bucket[10s]))) > 0"))
        print(f"{len(names)} metrics of the dashboard are there")
        return 0
    finally:
        for process in (scraper, plant):
            if process is not None:
                process.terminate()
                process.wait(20)


if __name__ == "__main__":
    sys.exit(main())
