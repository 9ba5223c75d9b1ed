# SPDX-License-Identifier: GPL-3.0-or-later
"""The PCIe link of a card: whether it carries what the ports can."""

from __future__ import annotations

from collections.abc import Iterator

from ..harm import lost, rare
from ..lanes import Link, advice, best, card, links
from ..model import Hit, Rule
from ..view import Host, Nic


def narrow(host: Host) -> list[tuple[Link, list[Nic]]]:
    """Each link that is too narrow for all ports behind it; of several for the same ports, the narrowest."""
    behind: dict[str, tuple[Link, list[Nic]]] = {}
    for nic in host.nics:
        for link in links(nic) if nic.real and card(nic) else ():
            behind.setdefault(link.where, (link, []))[1].append(nic)
    short = [(link, ports) for link, ports in behind.values() if link.capacity < _need(host, ports)]
    told: set[str] = set()
    found = []
    for link, ports in sorted(short, key=lambda item: (item[0].capacity / _need(host, item[1]), item[0].where)):
        names = {port.name for port in ports}
        if not names <= told:
            told |= names
            found.append((link, ports))
    return found


def _narrow(host: Host) -> Iterator[Hit]:
    for link, ports in narrow(host):
        yield _hit(link, ports)


def _hit(link: Link, ports: list[Nic]) -> Hit:
    losses = {port.name: loss.text for port in ports for loss in [lost(port, "rx_fifo")] if loss}
    told = {
        "ports": {port.name: f"{port.speed}Mb/s" for port in ports},
        **{f"lost in the FIFO of {name}": text for name, text in losses.items()},
    }
    action = advice(ports[0], link)
    if link.bridge:
        return Hit({"bridge": link.where, "PCIe link": str(link), **told}, ports[0].name, action=action)
    top = best(ports[0], link)
    evidence = {
        "slot": link.where,
        "PCIe link": str(link),
        "PCIe link of the card at best": f"{top.speed:g} GT/s x{top.width:g}",
        **told,
    }
    if top.capacity > link.capacity:
        return Hit(evidence, ports[0].name, action=action)
    action = "Use one port each of several cards; this card cannot have a wider slot."
    return Hit(evidence, ports[0].name, severity="medium" if losses else "note", action=action)


def _need(host: Host, ports: list[Nic]) -> int:
    """What the ports of a card can move at once: a bond of active-backup uses one member at a time."""
    spare = [facts.below("members") for facts in host.below("bonds").values() if facts.text("mode") == "active-backup"]
    groups: dict[int, int] = {}
    for index, port in enumerate(ports):
        bond = next((number for number, members in enumerate(spare, len(ports)) if port.name in members), index)
        groups[bond] = max(groups.get(bond, 0), port.speed)
    return sum(groups.values())


def _gone(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        if nic.flag("pcie", "gone"):
            sleeps = {"ASPM of the link": nic.text("aspm")} if nic.text("aspm") not in ("", "off") else {}
            evidence = {"driver": nic.driver, "PCI id": nic.text("pci_id"), "answers on the bus": "no", **sleeps}
            yield Hit(evidence, nic.name)


def _errors(host: Host) -> Iterator[Hit]:
    for nic in host.nics:
        again = nic.count("pcie", "errors", "corrected")
        if again < 1000 or rare(nic, again, 60):
            continue
        loss, hangs = lost(nic, "rx_fifo"), nic.counted("tx_timeouts")[0]
        worse = {kind: nic.count("pcie", "errors", kind) for kind in ("nonfatal", "fatal")}
        evidence = {
            "corrected errors of the PCIe link": again,
            **{f"{kind} errors": count for kind, count in worse.items() if count},
            **({"lost in the FIFO of the NIC": loss.text} if loss else {}),
            **({"transmitter resets": hangs} if hangs else {}),
        }
        yield Hit(evidence, nic.name, severity="medium" if loss or hangs else "")


RULES = (
    Rule(
        id="pcie-narrower-than-ports",
        severity="high",
        title="The slot is narrower than the ports of the card",
        condition="a PCIe link between the ports and the processor, that of the card or of a bridge above it, carries "
        "less than all ports behind it can move at once; where the card cannot have more, a note, or "
        "medium if its FIFO overflows",
        explanation="All ports of a card share its PCIe link, and all cards behind a bridge share that of the bridge. "
        "Two 10G ports behind four lanes of 5 GT/s give 14 Gbit/s together, whatever a bond promises.",
        action="Put the card into a slot with more lanes, and check whether the firmware of the board splits them.",
        reference="https://docs.kernel.org/PCI/pci.html",
        host=_narrow,
    ),
    Rule(
        id="nic-left-the-bus",
        severity="critical",
        title="The NIC does not answer on the PCIe bus any more",
        condition="the kernel reads nothing but ones as the current width of the PCIe link of a NIC (63)",
        explanation="The device has lost its link to the processor (`PCIe link lost` in the kernel's log), mostly when "
        "it was to sleep or to wake up. Its interface may still be shown as up, and nothing passes.",
        action="Reboot, or remove it and scan the bus (`echo 1` to `remove` of its device, then to "
        "/sys/bus/pci/rescan). Against the next time keep its link awake (`pci: {l1_aspm: false}`, `pcie_aspm=off` and "
        "`pcie_port_pm=off` of the kernel), update the firmware of board and NIC, and see slot and riser.",
        reference="https://github.com/ublue-os/bazzite/issues/5337",
        host=_gone,
    ),
    Rule(
        id="pcie-link-errors",
        severity="note",
        title="The PCIe link of the NIC repeats packets",
        condition="the kernel has counted a thousand corrected errors on the PCIe link of a NIC, and one a minute of "
        "uptime; medium where its FIFO overflows or its transmitter hangs as well",
        explanation="Each is a packet of the bus that was sent again, because a contact, a riser or the power saving "
        "of the link (ASPM) spoils the signal. Many cards work well with it for years, and fill the log only.",
        action="Where it loses packets or hangs, plug the card in again, try it without a riser and in another slot, "
        "and switch ASPM of this link off (`pci: {l0s_aspm: false, l1_aspm: false}`).",
        reference="https://docs.kernel.org/PCI/pcieaer-howto.html",
        host=_errors,
    ),
)
