# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak fio: a job in a folder such as an NFS mount, and its JSON output."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Mapping

from ..schema import TuningError
from . import mount

# The default reads as a file server with large files is used: what it can stream to one host.
OPTIONS: Dict[str, Dict[str, Any]] = {
    "directory": {"type": "path", "required": True},
    "rw": {"type": "str", "default": "read", "choices": ["read", "write", "randread", "randwrite"]},
    "bs": {"type": "str", "default": "2M"},
    "iodepth": {"type": "int", "default": 1},
    "numjobs": {"type": "int", "default": 4},
    "size": {"type": "str", "default": "2G"},
    "runtime": {"type": "int", "default": 60},
    "direct": {"type": "bool", "default": True},
    "ioengine": {"type": "str", "default": "libaio"},
    "files": {"type": "str", "default": "each", "choices": ["each", "shared"]},
    "mount": {"type": "dict", "options": mount.OPTIONS},
}

NAME = "linuxnet-benchmark"


def command(options: Mapping[str, Any], host: str) -> List[str]:
    """The command line of a job of one host, which may share the folder with others.

    Its files are removed when it ends in good order.
    """
    return [*_job(options, host), "--unlink=1"]


def layout(options: Mapping[str, Any], host: str) -> List[str]:
    """The command that writes the files that such a job reads, and does nothing else."""
    return [*_job(options, host), "--create_only=1"]


def _job(options: Mapping[str, Any], host: str) -> List[str]:
    job = {key: options[key] for key in ("directory", "rw", "bs", "iodepth", "numjobs", "size", "runtime", "ioengine")}
    argv = ["fio", f"--name={NAME}-{host}", "--output-format=json", "--time_based", "--group_reporting"]
    # One file for all jobs of the host, under a name that remove() finds; without it fio makes one for each job.
    shared = [f"--filename={NAME}-{host}.0"] if options["files"] == "shared" else []
    argv += [f"--{key}={value}" for key, value in job.items()] + [f"--direct={int(options['direct'])}"]
    return argv + shared


def remove(options: Mapping[str, Any], host: str) -> List[str]:
    """The command that removes the files of a job that was cut off."""
    return ["find", str(options["directory"]), "-maxdepth", "1", "-name", f"{NAME}-{host}.[0-9]*", "-delete"]


def parse(out: str, err: str, options: Mapping[str, Any]) -> Dict[str, Any]:
    """Bits per second that were read or written, whichever the job does; TuningError without a result."""
    way = "write" if options["rw"].endswith("write") else "read"
    # Some versions print notes before the JSON.
    start = out.find("{")
    try:
        jobs = json.loads(out[start:])["jobs"] if start >= 0 else []
        carried = sum(float(job[way]["bw_bytes"]) for job in jobs)
        failed = any(job.get("error") for job in jobs)
    except (ValueError, TypeError, KeyError):
        jobs, failed, carried = [], True, 0.0
    if failed or not jobs:
        raise TuningError(f"fio failed: {' '.join((err or out).split())[:500] or 'it ended without a word'}")
    return {"bits_per_second": {way: carried * 8}}
