# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak ss: what single sockets suffer, by the connections and ports it lists."""

from __future__ import annotations

import re
from typing import Any, Dict, Iterator, List, Sequence, Tuple

# A connection that has sent less, in bytes, proves nothing; from this round trip on, in ms, a loss costs much time; and
# one in so many bytes again is more than a path should lose.
_SENT, _FAR_MS, _PART = 1_000_000, 50.0, 100
# Congestion controls that take each loss for congestion.
_BY_LOSS = ("cubic", "reno")
# A queue of fewer places is full for a moment whenever somebody comes.
_QUEUE = 10
# So often sent again, and so long without an answer, is more than a hiccup of the network; one connection alone may
# have lost its peer on the way, several to one port have not.
_AGAIN, _SILENCE_MS, _SEVERAL = 5, 60_000, 3
# The first port for own connections, by default.
_OWN = 32768


def _pairs(text: str) -> Iterator[Tuple[List[str], str]]:
    """Each socket, as the words of its line, with what stands in lines of their own or at the end about it."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if line[:1].strip():
            below = lines[number + 1] if number + 1 < len(lines) and not lines[number + 1][:1].strip() else ""
            yield line.split(), f"{line} {below}"


def _peer(word: str) -> str:
    """An address without its scope, as people write it, and its port."""
    address, _colon, port = word.rpartition(":")
    plain = re.sub(r"%.*$", "", address).strip("[]")
    return f"{plain[7:] if plain.startswith('::ffff:') else plain} port {port}"


def lossy(text: str, most: int) -> List[Dict[str, Any]]:
    """Of `ss -tin`: connections over a long path that had to send much again, and halve their rate each time.

    The worst first: the peer, the smallest round trip, the share that was sent again in percent, the congestion window
    in segments and the congestion control.
    """
    found = []
    for words, about in _pairs(text):
        ends = [word for word in words if re.fullmatch(r"\S+:\d+", word)][:2]
        numbers = {
            key: re.search(rf"\b{key}:(\d{{1,15}}(?:\.\d{{1,9}})?)\b", about)
            for key in ("bytes_sent", "bytes_retrans", "minrtt", "cwnd")
        }
        control = re.search(rf"\s({'|'.join(_BY_LOSS)})\s", about)
        if len(ends) < 2 or not control or not all(numbers.values()):
            continue
        sent, again, trip, window = (float(match[1]) for match in numbers.values() if match)
        if sent >= _SENT and again * _PART >= sent and trip >= _FAR_MS:
            row = {"peer": _peer(ends[1]), "rtt_ms": trip, "again_percent": round(100 * again / sent, 1)}
            found.append((-again / sent, {**row, "window": int(window), "control": control[1]}))
    return [row for _share, row in sorted(found, key=lambda one: (one[0], str(one[1]["peer"])))[:most]]


def agreed(text: str, peers: Sequence[str]) -> Dict[str, int]:
    """Of `ss -tin`: the largest segment in bytes that both ends of a connection to each of these peers agreed on."""
    found: Dict[str, int] = {}
    for words, about in _pairs(text):
        ends = [word for word in words if re.fullmatch(r"\S+:\d+", word)][:2]
        size = re.search(r"\bmss:(\d{1,5})\b", about)
        peer = _peer(ends[1]).partition(" ")[0] if len(ends) == 2 else ""
        if size and peer in peers:
            found[peer] = max(found.get(peer, 0), int(size[1]))
    return found


def left_open(text: str) -> Tuple[int, str, int]:
    """Of `ss -tna`: the port on which most connections wait for the own program to close them, and all on that port.

    The peer has closed its end of these (CLOSE-WAIT). The port is that of the host, or that of the peer where the host
    has opened them; it is empty if there are none.
    """
    waiting: Dict[str, int] = {}
    every: Dict[str, int] = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) < 5 or words[0] in ("LISTEN", "TIME-WAIT"):
            continue
        for name, word in (("", words[3]), ("of peers ", words[4])):
            port = name + word.rpartition(":")[2]
            every[port] = every.get(port, 0) + 1
            if words[0] == "CLOSE-WAIT":
                waiting[port] = waiting.get(port, 0) + 1
    best = max(waiting, key=lambda port: (waiting[port], port), default="")
    return waiting.get(best, 0), best, every.get(best, 0)


def lost_in(text: str, most: int) -> List[Dict[str, int]]:
    """Of `ss -uam`: UDP sockets whose buffer was full, worst first: port, bytes of buffer and waiting, packets lost."""
    found = []
    for words, about in _pairs(text):
        ends = [word for word in words if re.fullmatch(r"\S+:(\d+|\*)", word)]
        memory = re.search(r"\bskmem:\(r(\d{1,12}),rb(\d{1,10}),.*?\bd(\d{1,15})\)", about)
        port = ends[0].rpartition(":")[2] if ends else ""
        if memory and port.isdecimal() and int(memory[3]):
            waiting, buffer, lost = (int(number) for number in memory.groups())
            found.append({"port": int(port), "buffer": buffer, "waiting": waiting, "lost": lost})
    return sorted(found, key=lambda row: (-row["lost"], row["port"]))[:most]


def refused_at(text: str, most: int) -> List[Dict[str, int]]:
    """Of `ss -tlnm`: listening ports that have dropped connections, most first, with backlog and how many (`lost`).

    The kernel counts them for each socket since Linux 4.7; those of one port are told together, with the least backlog.
    """
    found: Dict[str, Dict[str, int]] = {}
    for words, about in _pairs(text):
        dropped = re.search(r"\bskmem:\(.*?\bd(\d{1,15})\)", about)
        port = words[3].rpartition(":")[2] if len(words) >= 5 and words[0] == "LISTEN" else ""
        if dropped and int(dropped[1]) and port.isdecimal() and re.fullmatch(r"\d{1,10}", words[2]):
            row = found.setdefault(port, {"port": int(port), "backlog": int(words[2]), "lost": 0})
            row.update(backlog=min(row["backlog"], int(words[2])), lost=row["lost"] + int(dropped[1]))
    return sorted(found.values(), key=lambda row: (-row["lost"], row["port"]))[:most]


def backlogs(text: str, most: int) -> Dict[str, Any]:
    """Of `ss -tln`: the longest queue that a listening port has (`longest`), and the ports with the shortest ones."""
    found: Dict[int, int] = {}
    for words, _about in _pairs(text):
        port = words[3].rpartition(":")[2] if len(words) >= 5 and words[0] == "LISTEN" else ""
        if port.isdecimal() and re.fullmatch(r"\d{1,10}", words[2]):
            found[int(port)] = min(int(words[2]), found.get(int(port), int(words[2])))
    rows = [{"port": port, "backlog": found[port]} for port in sorted(found, key=lambda port: (found[port], port))]
    return {"longest": max(found.values()), "shortest": rows[:most]} if found else {}


def full_queues(text: str, most: int) -> List[Dict[str, Any]]:
    """Of `ss -xln`: socket files on which more programs wait than the queue holds, most first: path, waiting, most."""
    found = []
    for line in text.splitlines():
        match = re.match(r"u_\w+\s+LISTEN\s+(\d{1,9})\s+(\d{1,9})\s+(\S.*?)\s+\d+\s+\*\s", line)
        if match and int(match[1]) >= int(match[2]) >= _QUEUE:
            found.append({"path": match[3], "waiting": int(match[1]), "most": int(match[2])})
    return sorted(found, key=lambda row: (-int(str(row["waiting"])), str(row["path"])))[:most]


def silent(text: str, most: int) -> List[Dict[str, Any]]:
    """Of `ss -tin`: services that no longer confirm what connections to them send again and again.

    Those with most connections first: the peer, how many wait for it, and the seconds since the last one was answered.
    A single connection counts where its ports say that it was opened here.
    """
    waiting: Dict[str, List[int]] = {}
    opened = set()
    for words, about in _pairs(text):
        ends = [word for word in words if re.fullmatch(r"\S+:\d+", word)][:2]
        again, heard = re.search(r"\bbackoff:(\d{1,2})\b", about), re.search(r"\blastack:(\d{1,12})\b", about)
        if len(ends) == 2 and again and heard and int(again[1]) >= _AGAIN and int(heard[1]) >= _SILENCE_MS:
            peer, (own, other) = _peer(ends[1]), (int(end.rpartition(":")[2]) for end in ends)
            waiting.setdefault(peer, []).append(int(heard[1]) // 1000)
            if other < _OWN <= own:
                opened.add(peer)
    rows = [
        {"peer": peer, "connections": len(times), "seconds": min(times)}
        for peer, times in waiting.items()
        if len(times) >= _SEVERAL or peer in opened
    ]
    return sorted(rows, key=lambda row: (-int(str(row["connections"])), str(row["peer"])))[:most]


def ends(text: str) -> List[Tuple[str, str]]:
    """Of `ss -tn` in one state: the own address of each connection, and that of its peer."""
    found = []
    for line in text.splitlines():
        both = [word.rpartition(":")[0] for word in line.split() if re.fullmatch(r"\S+:\d+", word)][:2]
        found += [(both[0], both[1])] if len(both) == 2 else []
    return found


def longest_round_trip(text: str, least: int) -> float:
    """Of `ss -tin`: the largest smallest round trip, in ms, of a connection that has moved some bytes; 0 if none.

    One that has only sent, and whose buffer never held it back (Linux 4.10 and later tell), proves that it was enough:
    begun while the path was full, even its smallest round trip is a queue.
    """
    best = 0.0
    for line in text.splitlines():
        ways = "received" if " busy:" in line and " sndbuf_limited:" not in line else "acked|received|sent"
        moved = [int(word) for word in re.findall(rf"\bbytes_(?:{ways}):(\d{{1,18}})\b", line)]
        trip = re.search(r"\bminrtt:(\d{1,9}(?:\.\d{1,9})?)", line) or re.search(r"\brtt:(\d{1,9}(?:\.\d{1,9})?)", line)
        if trip and max(moved, default=0) >= least:
            best = max(best, float(trip[1]))
    return best


def stuck(text: str, most: int) -> List[str]:
    """Of `ss -tin`: who does not confirm what a connection sends again and again (`backoff`), each once."""
    found: List[str] = []
    lines = text.splitlines()
    for head, about in zip(lines, lines[1:]):
        ends = re.match(r"(?:ESTAB\s+)?\d+\s+\d+\s+\S+:\d+\s+(\S+):\d+\s*$", head)
        waits = re.search(r"\bbackoff:(\d{1,2})\b", about) if about[:1].isspace() else None
        if ends and waits and int(waits[1]) >= 2 and re.search(r"\bunacked:\d", about):
            peer = re.sub(r"%.*$", "", ends[1]).strip("[]")
            found.append(peer[7:] if peer.startswith("::ffff:") else peer)
    return list(dict.fromkeys(found))[:most]


def most_ports(text: str, first: int, last: int) -> Tuple[int, str]:
    """Of `ss -tna`: how many ports for own connections lead to one and the same address and port, and to which.

    A port may be taken once for each destination, so only connections to the same one compete.
    """
    taken: Dict[Tuple[str, str], int] = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) < 5 or words[0] == "LISTEN":
            continue
        address, _colon, port = words[3].rpartition(":")
        if port.isdecimal() and len(port) < 6 and first <= int(port) <= last:
            where = (address, words[4])
            taken[where] = taken.get(where, 0) + 1
    best = max(taken, key=lambda where: (taken[where], where), default=("", ""))
    return taken.get(best, 0), best[1]


def held_back(text: str, most: int) -> List[Dict[str, Any]]:
    """Of `ss -tin`: connections that could not send for half of the time they had something to, and why; worst first.

    `by` is `peer`, whose window was full, or `buffer`, the own one; the rest are seconds, milliseconds and bytes.
    Connections of a host to itself use no network, and wait for a program of its own.
    """
    found = []
    lines = text.splitlines()
    for head, about in zip(lines, lines[1:]):
        ends = re.match(r"(?:ESTAB\s+)?\d+\s+\d+\s+(?P<own>\S+):\d+\s+(\S+):(\d+)\s*$", head)
        away = ends is not None and ends[2] != ends["own"] and not ends[2].startswith("127.")
        busy = re.search(r"\bbusy:(\d{1,12})ms\b", about) if away and about[:1].isspace() else None
        for word, by in (("rwnd", "peer"), ("sndbuf", "buffer")):
            held = re.search(rf"\b{word}_limited:(\d{{1,12}})ms\b", about)
            if ends and busy and held and int(busy[1]) >= _LONG_MS and int(held[1]) * 2 >= int(busy[1]):
                peer = re.sub(r"%.*$", "", ends[2]).strip("[]")
                row: Dict[str, Any] = {"peer": f"{peer} port {ends[3]}", "by": by, "seconds": int(held[1]) // 1000}
                found.append({**row, "busy": int(busy[1]) // 1000, **_measures(about)})
    return sorted(found, key=lambda row: (-row["seconds"], row["peer"]))[:most]


# A connection that was busy for less says nothing.
_LONG_MS = 60_000


def _measures(about: str) -> Dict[str, Any]:
    trip, window = re.search(r"\bminrtt:(\d{1,9}(?:\.\d{1,9})?)", about), re.search(r"\bsnd_wnd:(\d{1,10})\b", about)
    # The first number is how the peer scales its window; without the word one of the two ends does not scale.
    scale = re.search(r"\bwscale:(\d{1,2}),", about)
    flight = re.search(r"\bmss:(\d{1,6})\b.*\bunacked:(\d{1,9})\b", about)
    return {
        "scale": int(scale[1]) if scale else 0,
        **({"in_flight": int(flight[1]) * int(flight[2])} if flight else {}),
        **({"rtt_ms": float(trip[1])} if trip else {}),
        **({"window": int(window[1])} if window else {}),
    }
