"""Stands in for HyperQueue's command `hq` where that cannot be had: its package on PyPI has the server, the scheduler and the
workers, but not the command. Here are the few commands that `tranquera survey --launcher hyperqueue` uses, in the words of
HyperQueue's manual. A job cannot be cancelled through the package."""

import json
import os
import re
import sys
import time


def numbers(text):
    """The numbers of `1-3,7`."""
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def client():
    from hyperqueue import Client

    return Client(os.environ["HQ_SERVER_DIR"])


def stand_in(ready):
    """The server, and two workers of one core each."""
    from hyperqueue import LocalCluster
    from hyperqueue.cluster import WorkerConfig

    cluster = LocalCluster(server_dir=os.environ["HQ_SERVER_DIR"])
    for _ in range(2):
        cluster.start_worker(WorkerConfig(cores=1))
    open(ready, "w").close()
    while True:
        time.sleep(60)


def submit(words):
    from hyperqueue import Job
    from hyperqueue.ffi.protocol import ResourceRequest
    from hyperqueue.output import StdioDef
    from hyperqueue.task.program import ExternalProgram

    end = words.index("--")
    options = dict(re.fullmatch(r"--([a-z]+)=(.*)", word).groups() for word in words[:end])
    known = {"name", "array", "cpus", "stdout", "stderr"}
    if not known.issuperset(options) or options["stdout"] != "none":
        sys.exit(f"not known here: {options}")
    job = Job(max_fails=None, name=options["name"])
    for number in numbers(options["array"]):
        task = ExternalProgram(
            number,
            args=words[end + 1 :],
            stdout=None,
            stderr=StdioDef.from_path(options["stderr"]),
            resources=ResourceRequest(cpus=int(options["cpus"])),
        )
        job._add_task(task)
    print(client().submit(job).id)


def info(job):
    """How many tasks of a job have not ended; there is no job that the server does not know."""

    class Enough(Exception):
        pass

    seen = {}

    def look(stats):
        seen.update(stats)
        raise Enough

    try:
        client().connection.wait_for_jobs([job], look)
    except Enough:
        pass
    jobs = []
    for number, tasks in seen.items():
        ended = tasks["finished"] + tasks["failed"]
        stats = {"running": tasks["total"] - ended, "waiting": 0, "finished": tasks["finished"], "failed": tasks["failed"]}
        jobs.append({"info": {"id": number, "task_count": tasks["total"], "task_stats": stats}})
    print(json.dumps(jobs))


match sys.argv[1:]:
    case ["stand-in", ready]:
        stand_in(ready)
    case ["--output-mode=quiet", "submit", *words]:
        submit(words)
    case ["--output-mode=json", "job", "info", job]:
        info(int(job))
    case words:
        sys.exit(f"not known here: {words}")
