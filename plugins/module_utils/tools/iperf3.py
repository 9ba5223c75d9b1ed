# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak iperf3: the command lines of client and server, and the JSON that versions from 3.1 on print."""

from __future__ import annotations

import json
import re
import signal
import sys
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from ..schema import TuningError

# What a person may ask of a client; both modules take these options.
OPTIONS: Dict[str, Dict[str, Any]] = {
    "server": {"type": "str", "required": True},
    "port": {"type": "int", "default": 5201},
    "protocol": {"type": "str", "choices": ["tcp", "udp"], "default": "tcp"},
    "duration": {"type": "int", "default": 10},
    "omit": {"type": "int", "default": 0},
    "parallel": {"type": "int", "default": 1},
    "reverse": {"type": "bool", "default": False},
    "bidirectional": {"type": "bool", "default": False},
    "window": {"type": "str"},
    "bitrate": {"type": "str"},
    "length": {"type": "int"},
}

# 3.9 of Debian 11 fails to say goodbye to a server that has refused it, and tells that instead of the reason: captured.
# It then has no connection to measure on, where one that is cut off in the middle has.
_GOODBYE = r"unable to send control message"
BUSY = rf"server is busy|\"connected\":\s*\[\](?s:.*){_GOODBYE}: (?:Connection reset|Broken pipe)"
# The reason that it leaves out, from a connection of our own. Others tell of an unknown name what went wrong before it.
_REASON = r"refused|not known|[Nn]o route|is unreachable|timed out"
_CONNECT = "import socket, sys; socket.create_connection((sys.argv[1], int(sys.argv[2])), 3).close()"
_UNTOLD = "unable to connect: refused, or an unknown name; this version of iperf3 does not tell which"
_UNREACHABLE = r"unable to connect|No route to host|unreachable|Name or service not known|name resolution"
# The bytes that TCP writes and reads at once. 3.18 counts what it received when such a block is there as a whole
# (measured; 3.12 counts each piece), so a slow run with a small window may end before there is one.
_BLOCK = 128 * 1024
_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_STRANGER = r"unknown control message"
_CUT_OFF = r"control socket has closed|server has terminated|unable to (?:receive|send|read|write)|Connection reset"


class Iperf3Error(TuningError):
    """A run without a result; `kind` is busy, unreachable, cut off, no data or failed."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind


def client(options: Mapping[str, Any]) -> List[str]:
    """The command line of a client. Without reports of intervals the output stays small whatever the duration."""
    argv = ["iperf3", "-J", "-i", "0", "-c", str(options["server"]), "-p", str(options["port"])]
    argv += ["-t", str(options["duration"]), "-P", str(options["parallel"])]
    argv += ["-O", str(options["omit"])] if options.get("omit") else []
    argv += ["-u"] if options.get("protocol") == "udp" else []
    argv += ["-R"] if options.get("reverse") else []
    argv += ["--bidir"] if options.get("bidirectional") else []
    argv += ["-w", str(options["window"])] if options.get("window") else []
    length = options.get("length") or _block(options)
    argv += ["-l", str(length)] if length else []
    return argv + (["-b", str(options["bitrate"])] if options.get("bitrate") else [])


def _block(options: Mapping[str, Any]) -> Optional[int]:
    """The block for TCP with a window, so that the count is fine enough; None for iperf3's own."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([KMGT]?)", str(options.get("window") or "").upper())
    if not match or options.get("protocol") == "udp":
        return None
    block = max(1024, int(float(match[1]) * _UNITS[match[2]]) // 8)
    return block if block < _BLOCK else None


def connect(options: Mapping[str, Any]) -> List[str]:
    """A command that tries to connect like a client; its last line tells why that does not work, as the system does."""
    return [sys.executable, "-I", "-S", "-c", _CONNECT, str(options["server"]), str(options["port"])]


def server(port: int) -> List[str]:
    """The command line of a server that serves one client after the other."""
    return ["iperf3", "-s", "-p", str(port)]


def seconds(options: Mapping[str, Any]) -> int:
    """How long a client runs, without the time it takes to connect and to exchange results."""
    return int(options["duration"]) + int(options.get("omit") or 0)


def check(options: Mapping[str, Any]) -> None:
    """TuningError for options that contradict each other or make no sense."""
    if options.get("reverse") and options.get("bidirectional"):
        raise TuningError("reverse and bidirectional exclude each other: bidirectional measures both directions")
    # iperf3 writes its own header of 16 bytes into a packet of UDP.
    if options.get("length") is not None and not 16 <= options["length"] <= 65507:
        raise TuningError(f"length={options['length']} is not valid; it is 16 to 65507 bytes")
    for key, least in (("duration", 1), ("omit", 0), ("parallel", 1), ("port", 1)):
        if int(options.get(key) or 0) < least:
            raise TuningError(f"{key}={options[key]} is not valid; the least is {least}")
    for key in ("window", "bitrate"):
        if options.get(key) and not re.fullmatch(r"\d+(\.\d+)?[KMGTkmgt]?(/\d+)?", str(options[key])):
            raise TuningError(f"{key}={options[key]} is no number such as 512K or 100M")


def parse(out: str, err: str, options: Mapping[str, Any], rc: int = 0) -> Dict[str, Any]:
    """What a run measured, each figure by direction: `up` is from client to server. Iperf3Error without a result.

    3.9 writes no `error` into a report that it has begun, and says it on stderr; 3.11 to 3.12 end with 0 whatever was.
    So the report, stderr and the exit code count, and a run without data has failed whatever they say.
    """
    said = " ".join(re.findall(r"^iperf3: (?:error - )?(?!warning)(.+)$", err, re.MULTILINE))
    try:
        report = json.loads(out, object_pairs_hook=_pairs)
    except ValueError:
        raise _failure(err.strip() or out.strip() or _silent(rc), options) from None
    if not isinstance(report, dict):
        raise _failure("iperf3 did not print a report", options)
    end = report.get("end") or {}
    problem = str(report.get("error") or said or err.strip())
    if report.get("error") or said or rc:
        raise _failure(_reason(problem, report) or f"iperf3 ended with exit code {rc}", options)
    if not ("sum_received" in end or "sum" in end):
        raise _failure("iperf3 ended before there was a result", options)
    result: Dict[str, Any] = {"bits_per_second": {}, "seconds": 0.0, "version": _version(report)}
    for direction, suffix in _directions(options):
        if not _moved(end, suffix):
            raise _no_data(report, options)
        _one_way(result, end, direction, suffix)
        _round_trips(result, end, direction)
    cpu = end.get("cpu_utilization_percent") or {}
    if "host_total" in cpu:
        result["cpu"] = {"client": round(cpu["host_total"], 1), "server": round(cpu.get("remote_total", 0.0), 1)}
    return result


def _silent(rc: int) -> str:
    """Why it ended without a word; below 0 the exit code is that of a signal."""
    names = {-one.value: one.name for one in signal.Signals}
    if rc not in names:
        return "iperf3 ended without a word"
    return f"iperf3 was ended by {names[rc]}, from outside; see `journalctl -k` for a lack of memory"


def _reason(problem: str, report: Mapping[str, Any]) -> str:
    """What went wrong before 3.9 failed to say goodbye: no socket, so no connection, or one that the server ended."""
    if not re.search(_GOODBYE, problem) or (report.get("start") or {}).get("connected") != []:
        return problem
    if "Bad file descriptor" in problem:
        return _UNTOLD
    return "the server is busy; this version of iperf3 tells only that it was sent away"


def untold(error: Iperf3Error) -> bool:
    """Whether iperf3 has left out why it could not connect, or says what was the matter with something else before."""
    return error.kind == "unreachable" and (_UNTOLD in str(error) or not re.search(_REASON, str(error)))


def told(said: str, options: Mapping[str, Any]) -> Optional[Iperf3Error]:
    """The reason that Python gives on stderr for what `connect` could not do; None where it could, or gives none."""
    found = re.search(r"^[\w.]*(?:[Ee]rror|timeout): (?:\[Errno -?\d+\] )?(.+)\s*\Z", said, re.MULTILINE)
    return _failure(f"unable to connect to server: {found[1]}", options) if found else None


def _moved(end: Mapping[str, Any], suffix: str) -> bool:
    """Whether anything went one way: TCP arrives or nothing was measured, UDP may be lost as a whole."""
    received, sent, both = (end.get(f"{name}{suffix}") or {} for name in ("sum_received", "sum_sent", "sum"))
    sums = [both, sent, received] if "lost_percent" in {**both, **received} else [received or both]
    return any(float(item.get("bytes") or item.get("bits_per_second") or 0) > 0 for item in sums)


def _pairs(pairs: Sequence[Tuple[str, Any]]) -> Dict[str, Any]:
    """Until 3.10 a bidirectional run prints its sums twice under the same names; the second one is the way back."""
    found: Dict[str, Any] = {}
    for key, value in pairs:
        found[f"{key}_bidir_reverse" if key in found and key.startswith("sum") else key] = value
    return found


def _directions(options: Mapping[str, Any]) -> List[Tuple[str, str]]:
    if options.get("bidirectional"):
        return [("up", ""), ("down", "_bidir_reverse")]
    return [("down" if options.get("reverse") else "up", "")]


def _one_way(result: Dict[str, Any], end: Mapping[str, Any], direction: str, suffix: str) -> None:
    both = end.get(f"sum{suffix}") or {}
    sent = end.get(f"sum_sent{suffix}") or both
    received = end.get(f"sum_received{suffix}") or {}
    lost = float((received or both).get("lost_percent", both.get("lost_percent", 0)) or 0)
    if received:
        rate = float(received.get("bits_per_second", 0))
    else:
        # UDP before 3.11 knows only what was sent and how much of it was lost.
        rate = float(both.get("bits_per_second", 0)) * (1 - lost / 100)
    result["bits_per_second"][direction] = rate
    result["seconds"] = max(result["seconds"], round(float((received or both).get("seconds", 0)), 3))
    if "retransmits" in sent:
        result.setdefault("retransmits", {})[direction] = int(sent["retransmits"])
    if "lost_percent" in (received or both) or "lost_percent" in both:
        result.setdefault("lost_percent", {})[direction] = round(lost, 3)
        _datagrams(result, received or both, direction)


def _datagrams(result: Dict[str, Any], received: Mapping[str, Any], direction: str) -> None:
    """What the receiver says of packets of UDP.

    3.1 to 3.10 have one sum for both ends, with the jitter and loss of the receiver.
    """
    if "jitter_ms" in received:
        result.setdefault("jitter_ms", {})[direction] = round(float(received["jitter_ms"]), 3)
    if {"packets", "lost_packets"} <= set(received) and received.get("seconds"):
        arrived = received["packets"] - received["lost_packets"]
        result.setdefault("packets_per_second", {})[direction] = round(arrived / received["seconds"], 1)


def _round_trips(result: Dict[str, Any], end: Mapping[str, Any], direction: str) -> None:
    """What TCP of the client thinks a round trip takes, in milliseconds, at the end: of streams that it sends itself.

    Of what it receives every version prints 0, or the round trip of the empty connection.
    """
    senders = [stream.get("sender") or {} for stream in end.get("streams") or ()]
    # Before 3.7 a stream does not say who sends it, and there is no run in both directions.
    times = [one["mean_rtt"] for one in senders if one.get("sender", True) and one.get("mean_rtt")]
    if direction == "up" and times:
        result["tcp_rtt_ms"] = {"up": round(sum(times) / len(times) / 1000, 3)}


def _version(report: Mapping[str, Any]) -> str:
    match = re.search(r"\d+(\.\d+)+", str((report.get("start") or {}).get("version", "")))
    return match.group(0) if match else ""


def _no_data(report: Mapping[str, Any], options: Mapping[str, Any]) -> Iperf3Error:
    """The run came to its end and nothing has arrived, as far as iperf3 counts it."""
    start = report.get("start") or {}
    size = (start.get("test_start") or {}).get("blksize")
    block = f"no block of {size} bytes" if size else "nothing"
    hint = "measure longer (duration); if that does not help, see that large packets pass (MTU, firewall)"
    pair = f"the iperf3 server {options['server']} port {options['port']} and this host"
    return Iperf3Error("no data", f"{pair} measured no data: {block} arrived in {seconds(options)} s; {hint}")


def _failure(text: str, options: Mapping[str, Any]) -> Iperf3Error:
    text = " ".join(re.sub(r"^iperf3: (error - )?", "", text).split())
    where = f"the iperf3 server {options['server']} port {options['port']}"
    if re.search(BUSY, text):
        return Iperf3Error("busy", f"{where} is busy with another client ({text}); raise retries, or use another port")
    if re.search(_STRANGER, text):
        hint = "another program listens on this port; stop it, or use another port"
        return Iperf3Error("failed", f"{where} answers, but not as iperf3 does ({text}); {hint}")
    if re.search(_UNREACHABLE, text):
        hint = "see that it runs, that a firewall lets the port through, and that the address is right"
        return Iperf3Error("unreachable", f"{where} cannot be reached ({text}); {hint}")
    if re.search(_CUT_OFF, text):
        return Iperf3Error("cut off", f"{where} was cut off in the middle of the run ({text}); measure again")
    return Iperf3Error("failed", f"iperf3 to {where[len('the iperf3 ') :]} failed: {text}")


def version(out: str) -> str:
    """Of `iperf3 --version`."""
    match = re.search(r"iperf (\d+(?:\.\d+)+)", out)
    return match.group(1) if match else ""
