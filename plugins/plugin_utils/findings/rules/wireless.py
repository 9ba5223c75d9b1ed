# SPDX-License-Identifier: GPL-3.0-or-later
"""NICs without a wire: a signal that is weak, one that is used although there is a cable, and one that sleeps."""

from __future__ import annotations

from collections.abc import Iterator

from ..harm import sent_again
from ..model import Hit, Rule, nic_remedy
from ..view import Host
from .link import wireless

# Below this signal, in dBm, a station has only the slowest rates left.
_WEAK = -75
# NetworkManager adds so much to the metric of a NIC through which it does not reach the internet.
_PENALTY = 20000


def _weak(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        signal = nic.number("signal_dbm")
        if nic.linked and signal is not None and signal <= _WEAK:
            again = sent_again(host, 50)
            evidence = {"signal": f"{signal:g} dBm", **({"segments sent again": again} if again else {})}
            yield Hit(evidence, nic.name)


def _preferred(host: Host) -> Iterator[Hit]:
    ways: dict[str, int] = {}
    for row in host.rows("default_routes"):
        name, metric = row.text("nic"), row.count("metric")
        ways[name] = min(metric, ways.get(name, metric))
    air = {name: metric for name, metric in ways.items() if (nic := host.nic(name)) and nic.linked and wireless(nic)}
    wired = {
        name: metric
        for name, metric in ways.items()
        if (nic := host.nic(name)) and nic.real and not wireless(nic) and nic.speed >= 100 and metric < _PENALTY
    }
    if not air or not wired:
        return
    best, other = (min(found, key=found.__getitem__) for found in (air, wired))
    order = list(ways)
    # Of two routes that are equal the kernel takes the first one.
    if air[best] < wired[other] or (air[best] == wired[other] and order.index(best) < order.index(other)):
        equal = {"first of the two": best} if air[best] == wired[other] else {}
        metrics = {f"metric of {name}": metric for name, metric in sorted({**air, **wired}.items())}
        sent = {name: nic.counted("tx_bytes")[0] for name in (best, other) if (nic := host.nic(name))}
        slow = sent.get(best, 0) >= _BYTES and sent.get(best, 0) >= 10 * sent.get(other, 0)
        told = {f"sent by {name}": f"{count / 1e9:.1f} GB" for name, count in sent.items()} if slow else {}
        yield Hit({**metrics, **equal, **told}, best, severity="medium" if slow else "")


# What says that the way by air is in use, in bytes.
_BYTES = 10_000_000_000


def _reconnects(host: Host) -> Iterator[Hit]:
    days = (host.number("kernel", "uptime") or 0) / 86400
    for nic in host.nics:
        changes, since = nic.counted("carrier_changes")
        states = [state for state in ("l0s", "l1") if state in nic.text("aspm").split()]
        if not wireless(nic) or not states or nic.number("counters", "interval") or not days:
            continue
        # A laptop sleeps and roams some times a day.
        if changes >= 100 and changes >= _OFTEN * days:
            remedy = nic_remedy(nic.name, pci={f"{state}_aspm": False for state in states})
            evidence = {"carrier changes": f"{changes} {since}", "ASPM of the link": " ".join(states)}
            yield Hit({**evidence, "driver": nic.driver}, nic.name, remedy=remedy)


# Changes of the carrier in a day.
_OFTEN = 50


def _sleeps(host: Host) -> Iterator[Hit]:
    """A board or server that can only be reached by air; a laptop has a battery to save."""
    up = [nic for nic in host.nics if nic.linked]
    asleep = [nic for nic in up if nic.text("power_save") == "on"]
    if asleep and len(asleep) == len(up) and host.flag("power", "battery") is not True:
        for nic in asleep:
            yield Hit({"Power save": "on"}, nic.name)


# Below this frequency in MHz is the band of 2.4 GHz, whose channel of 20 MHz carries no more Mbit/s with two antennas.
# A signal as strong in dBm allows the highest rates of the other bands.
_LOW_BAND, _ITS_MOST, _STRONG = 2500, 150, -60


def _low(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        at, rate = nic.count("frequency_mhz"), nic.number("rate_mbit") or 0
        if nic.linked and 0 < at < _LOW_BAND and 0 < rate <= _ITS_MOST and _STRONG <= nic.count("signal_dbm") < 0:
            told = {"frequency": f"{at} MHz", "rate": f"{rate:g} Mbit/s", "signal": f"{nic.count('signal_dbm')} dBm"}
            yield Hit(told, nic.name)


RULES = (
    Rule(
        id="wireless-before-wire",
        severity="low",
        title="Traffic goes by air although there is a cable",
        condition="a wireless NIC and one with a cable have a default route each, and that of the wireless one has the "
        "smaller metric, or the same and is the first; medium where it has sent 10 GB and ten times as much",
        explanation="The smaller metric wins, so that everything beyond the own network takes the slower way. By "
        "itself NetworkManager prefers the cable; systemd-networkd gives both the same metric.",
        action="Give the route by cable the smaller metric (`ipv4.route-metric` of the profiles in NetworkManager, "
        "`RouteMetric=` of systemd-networkd), or switch the wireless NIC off.",
        reference="https://github.com/systemd/systemd/issues/928",
        host=_preferred,
    ),
    Rule(
        id="wireless-signal-weak",
        severity="note",
        title="The signal of a wireless NIC is weak",
        condition="the signal is -75 dBm or weaker",
        explanation="The station and its access point then use the slowest rates, and send many frames several times. "
        "No setting of the host makes up for that.",
        action="Move antenna or access point, take the other band (2.4 GHz reaches farther), or a cable.",
        reference="https://wireless.docs.kernel.org/en/latest/en/users/documentation/iw.html",
        host=_weak,
    ),
    Rule(
        id="wireless-reconnects",
        severity="note",
        title="A wireless NIC whose PCIe link may sleep loses its connection again and again",
        condition="the carrier of a wireless NIC changed at least 100 times, and 50 times a day of uptime, and ASPM "
        "may put its PCIe link to sleep",
        explanation="Some of these cards do not wake up in time, above all after a laptop has slept, so that answers "
        "of the access point are missed. A weak signal and an access point that sends stations away look the same.",
        action="Switch ASPM of its link off and see whether it stays; some drivers have a parameter for that "
        "(`disable_aspm` of mt7921e).",
        reference="https://github.com/morrownr/mt76/issues/43",
        host=_reconnects,
    ),
    Rule(
        id="wireless-sleeps",
        severity="note",
        title="A host that is reached by air only lets its NIC sleep",
        condition="power saving of each wireless NIC is on, there is no link by cable, and the host has no battery",
        explanation="The access point keeps packets back until the NIC wakes for a beacon, so answers take a tenth "
        "of a second, or several at times. Typing over SSH stutters, and so does everything that asks and waits.",
        action="Switch it off (`iw dev NIC set power_save off`), for good by `wifi.powersave = 2` in the configuration "
        "of NetworkManager or by a udev rule.",
        reference="https://github.com/raspberrypi/linux/issues/7533",
        host=_sleeps,
    ),
    Rule(
        id="wireless-low-band",
        severity="note",
        title="A wireless NIC with a strong signal uses the slow band",
        condition="the frequency is below 2500 MHz, the rate at most 150 Mbit/s, and the signal -60 dBm or stronger",
        explanation="The band of 2.4 GHz is narrow and shared with many others, so that half of the rate is left for "
        "data at best. Near the access point the bands of 5 and 6 GHz are several times as fast.",
        action="If access point and NIC have another band, prefer that (`wifi.band a` in the profile of "
        "NetworkManager, `freq_list` of wpa_supplicant, or a name of its own for that band).",
        reference="https://wireless.docs.kernel.org/en/latest/en/users/documentation/iw.html",
        host=_low,
    ),
)
