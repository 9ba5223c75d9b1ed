# SPDX-License-Identifier: GPL-3.0-or-later
"""Devices in memory that answer in ethtool's own words, and round, clamp, ignore and refuse like drivers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

Result = tuple[int, str, str]
UNSUPPORTED: Result = (1, "", "netlink error: Operation not supported\n")

RING = {"rx": "RX", "rx-mini": "RX Mini", "rx-jumbo": "RX Jumbo", "tx": "TX"}
CHANNELS = {"rx": "RX", "tx": "TX", "other": "Other", "combined": "Combined"}
PAUSE = {"autoneg": "Autonegotiate", "rx": "RX", "tx": "TX"}
LONG = {
    "tso": "tcp-segmentation-offload",
    "sg": "scatter-gather",
    "gso": "generic-segmentation-offload",
    "gro": "generic-receive-offload",
    "lro": "large-receive-offload",
}
# ethtool's groups by their members; a member works only while all that it needs is on.
GROUPS = {"sg": ["tx-scatter-gather"], "tso": ["tx-tcp-segmentation", "tx-tcp6-segmentation"]}
NEEDS = {"tx-tcp-segmentation": "tx-scatter-gather", "tx-tcp6-segmentation": "tx-scatter-gather"}


def to_multiple(step: int) -> Callable[[int], int]:
    """Round up to a multiple, as igb (8) and i40e (32) do."""
    return lambda number: -(-number // step) * step


def to_power_of_two(number: int) -> int:
    """Round up to a power of two, as mlx5 does."""
    return 1 << max(number - 1, 0).bit_length()


@dataclass
class Device:
    """A NIC: what it has, up to which limit, and what its driver makes of a request."""

    driver: str
    ring: dict[str, int] = field(default_factory=dict)
    ring_max: dict[str, int] = field(default_factory=dict)
    channels: dict[str, int] = field(default_factory=dict)
    channels_max: dict[str, int] = field(default_factory=dict)
    pause: dict[str, bool] = field(default_factory=dict)
    coalesce: dict[str, int] = field(default_factory=dict)
    features: dict[str, bool] = field(default_factory=dict)
    fixed: tuple[str, ...] = ()
    round_ring: Callable[[int], int] = int
    round_coalesce: Callable[[int], int] = int
    ignores_pause_with_autoneg: bool = False
    # What `-a` shows under autoneg is the result, the lines of pause frames are in `ethtool NIC`, the switch refuses.
    shows_result: bool = False
    advertises: bool = False
    refused: bool = False
    old: bool = False
    link: dict[str, int] = field(default_factory=lambda: {"mtu": 1500, "txqlen": 1000})
    mtu_limits: tuple[int, int] = (68, 9216)

    def __post_init__(self) -> None:
        self.requested = dict(self.features)

    # Each answer has the form of ethtool 6.1, or of 4.8 where `old`.

    def show(self, flag: str) -> Result:
        """Answer a query."""
        show = {"-g": self._rings, "-l": self._channels, "-a": self._pause, "-c": self._coalesce, "-k": self._features}
        text = show[flag]() if flag in show else ""
        return (0, text, "") if text else UNSUPPORTED

    def _blocks(self, labels: Mapping[str, str], top: Mapping[str, int], now: Mapping[str, int]) -> str:
        if not now:
            return ""
        missing = "0" if self.old else "n/a"
        lines = ["Parameters:", "Pre-set maximums:"]
        lines += [f"{label}:\t\t{top.get(key, missing)}" for key, label in labels.items()]
        lines += ["Current hardware settings:"]
        lines += [f"{label}:\t\t{now.get(key, missing)}" for key, label in labels.items()]
        return "\n".join(lines) + "\n"

    def _rings(self) -> str:
        return self._blocks(RING, self.ring_max, self.ring)

    def _channels(self) -> str:
        return self._blocks(CHANNELS, self.channels_max, self.channels)

    def _shown_pause(self) -> dict[str, bool]:
        nothing = self.shows_result and self.refused and self.pause["autoneg"]
        return {"autoneg": True, "rx": False, "tx": False} if nothing else self.pause

    def _pause(self) -> str:
        lines = [f"{label}:\t{_switch(self._shown_pause()[key])}" for key, label in PAUSE.items() if self.pause]
        return "\n".join(["Pause parameters for NIC:", *lines]) if lines else ""

    def _coalesce(self) -> str:
        if not self.coalesce:
            return ""
        lines = [f"{key}: {value}" for key, value in self.coalesce.items()]
        return "\n".join(["Coalesce parameters for NIC:", "Adaptive RX: n/a  TX: n/a", *lines, "rx-frame-low: n/a"])

    def _features(self) -> str:
        lines = ["Features for NIC:"]
        for name, members in GROUPS.items():
            if any(member in self.features for member in members):
                lines.append(f"{LONG[name]}: {_switch(any(self._works(member) for member in members))}")
                lines += [f"\t{member}: {self._state(member)}" for member in members]
        single = [name for name in self.features if name not in [m for group in GROUPS.values() for m in group]]
        return "\n".join(lines + [f"{LONG.get(name, name)}: {self._state(name)}" for name in single])

    def _works(self, name: str) -> bool:
        need = NEEDS.get(name)
        return self.features[name] and (need is None or self.features[need])

    def _state(self, name: str) -> str:
        works = self._works(name)
        if name in self.fixed:
            return f"{_switch(works)} [fixed]"
        return _switch(works) + ("" if works == self.requested[name] else f" [requested {_switch(not works)}]")

    def show_settings(self, nic: str) -> Result:
        """Answer `ethtool NIC`."""
        lines = [f"Settings for {nic}:"]
        if self.advertises:
            words = {(True, True): "Symmetric", (True, False): "Symmetric Receive-only", (False, True): "Transmit-only"}
            advertised = words.get((self.pause["rx"], self.pause["tx"]), "No")
            lines += ["\tSupported pause frame use: Symmetric", f"\tAdvertised pause frame use: {advertised}"]
        if self.refused and not self.shows_result:
            lines += ["\tLink partner advertised pause frame use: No"]
        return 0, "\n".join([*lines, "\tSpeed: 1000Mb/s", "\tLink detected: yes", ""]), ""

    def show_link(self, nic: str) -> Result:
        """Answer `ip -d -j link show dev NIC`."""
        low, high = self.mtu_limits
        # iproute2 (6.1, tried) does not show a queue of no length.
        link = {key: value for key, value in self.link.items() if value or key != "txqlen"}
        return 0, json.dumps([{"ifname": nic, "qdisc": "mq", "min_mtu": low, "max_mtu": high, **link}]), ""

    def set_link(self, words: Mapping[str, str]) -> Result:
        """Carry out `ip link set dev NIC mtu N txqueuelen N`."""
        low, high = self.mtu_limits
        if not low <= int(words.get("mtu", low)) <= high:
            return 2, "", "Error: mtu greater than device maximum.\n"
        names = {"mtu": "mtu", "txqueuelen": "txqlen"}
        self.link.update({names[word]: int(value) for word, value in words.items()})
        return 0, "", ""

    def set(self, flag: str, words: Mapping[str, str]) -> Result:
        """Carry out a command; the exit code says as little as the real one's."""
        return {"-G": self._set_ring, "-L": self._set_channels, "-A": self._set_pause}.get(
            flag, self._set_coalesce if flag == "-C" else self._set_features
        )(words)

    def _set_ring(self, words: Mapping[str, str]) -> Result:
        if any(key not in self.ring or int(value) > self.ring_max[key] for key, value in words.items()):
            return 81, "", "netlink error: requested ring size exceeds maximum\n"
        requested = {key: min(self.round_ring(int(value)), self.ring_max[key]) for key, value in words.items()}
        if self.old and requested == {key: self.ring[key] for key in requested}:
            return 80, "", "no ring parameters changed, aborting\n"
        self.ring.update(requested)
        return 0, "", ""

    def _set_channels(self, words: Mapping[str, str]) -> Result:
        if any(key not in self.channels or int(value) > self.channels_max[key] for key, value in words.items()):
            return 1, "", "netlink error: requested channel count exceeds maximum\n"
        self.channels.update({key: int(value) for key, value in words.items()})
        return 0, "", ""

    def _set_pause(self, words: Mapping[str, str]) -> Result:
        if not self.pause:
            return 76, "", "netlink error: Operation not supported\n"
        # The kernel fills in what `-a` shows, and leaves the driver alone where that is what is asked for.
        requested = {**self._shown_pause(), **{key: value == "on" for key, value in words.items()}}
        if requested == self._shown_pause():
            return 0, "", ""
        if self.ignores_pause_with_autoneg and requested["autoneg"]:
            requested = {"autoneg": True, "rx": True, "tx": True}
        self.pause.update(requested)
        return 0, "", ""

    def _set_coalesce(self, words: Mapping[str, str]) -> Result:
        if any(key not in self.coalesce for key in words):
            return 1, "", "netlink error: Operation not supported\n"
        self.coalesce.update({key: self.round_coalesce(int(value)) for key, value in words.items()})
        return 0, "", ""

    def _set_features(self, words: Mapping[str, str]) -> Result:
        for word, value in words.items():
            for name in GROUPS.get(word, [word]):
                if name not in self.features:
                    return 92, "", f"ethtool: bad command line argument(s): {name}\n"
                if name in self.fixed:
                    return 1, "", "Could not change any device features\n"
                self.requested[name] = self.features[name] = value == "on"
        return 0, "Actual changes:\n", ""


def _switch(value: bool) -> str:
    return "on" if value else "off"


def igb() -> Device:
    """Intel 82576: rings in steps of eight, pause frames only as asked while autoneg is off."""
    return Device(
        "igb",
        ring={"rx": 256, "tx": 256},
        ring_max={"rx": 4096, "tx": 4096},
        channels={"combined": 2, "other": 1},
        channels_max={"combined": 8, "other": 1},
        pause={"autoneg": True, "rx": True, "tx": True},
        coalesce={"rx-usecs": 3, "tx-usecs": 3},
        features={
            "tx-scatter-gather": True,
            "tx-tcp-segmentation": True,
            "tx-tcp6-segmentation": True,
            "gso": True,
            "gro": True,
            "lro": False,
        },
        fixed=("lro",),
        round_ring=to_multiple(8),
        ignores_pause_with_autoneg=True,
        shows_result=True,
        advertises=True,
    )


def ixgbe(*, advertises: bool = True, driver: str = "ixgbe") -> Device:
    """Intel X540 behind a switch that refuses flow control: `-a` says off whatever one asks for."""
    return Device(
        driver,
        pause={"autoneg": True, "rx": True, "tx": True},
        ignores_pause_with_autoneg=True,
        shows_result=True,
        advertises=advertises,
        refused=True,
    )


def i219() -> Device:
    """The same switch for a driver that shows nowhere what it asks for."""
    return ixgbe(advertises=False, driver="e1000e")


def bnxt() -> Device:
    """The same switch for a driver whose `-a` shows what is asked for."""
    return Device("bnxt_en", pause={"autoneg": True, "rx": False, "tx": False}, advertises=True, refused=True)


def e1000e() -> Device:
    """No channels, and a time between interrupts that is kept as a rate."""
    return Device(
        "e1000e",
        ring={"rx": 256, "tx": 256},
        ring_max={"rx": 4096, "tx": 4096},
        pause={"autoneg": True, "rx": True, "tx": True},
        ignores_pause_with_autoneg=True,
        shows_result=True,
        coalesce={"rx-usecs": 3},
        features={"tx-scatter-gather": True, "tx-tcp-segmentation": True, "tx-tcp6-segmentation": False, "gso": True},
        round_ring=to_multiple(8),
        round_coalesce=lambda usecs: 1000000 // (1000000 // usecs) if usecs else 0,
    )


def vmxnet3() -> Device:
    """A ring for jumbo frames, and no pause frames at all."""
    return Device(
        "vmxnet3",
        ring={"rx": 1024, "rx-jumbo": 512, "tx": 512},
        ring_max={"rx": 4096, "rx-jumbo": 4096, "tx": 4096},
        features={"gro": True, "lro": True},
        round_ring=to_multiple(32),
    )


def veth() -> Device:
    """Channels by direction, and nothing else but features."""
    return Device(
        "veth",
        channels={"rx": 64, "tx": 64},
        channels_max={"rx": 64, "tx": 64},
        features={"tx-scatter-gather": True, "tx-tcp-segmentation": True, "tx-tcp6-segmentation": True, "gro": False},
    )


def mlx5() -> Device:
    """Rings rounded up to a power of two."""
    return Device(
        "mlx5_core", ring={"rx": 1024, "tx": 1024}, ring_max={"rx": 8192, "tx": 8192}, round_ring=to_power_of_two
    )


def tg3() -> Device:
    """Odd maxima, and an ethtool of 2016."""
    return Device(
        "tg3",
        ring={"rx": 200, "rx-jumbo": 100, "tx": 511},
        ring_max={"rx": 2047, "rx-jumbo": 1023, "tx": 511},
        pause={"autoneg": True, "rx": True, "tx": True},
        old=True,
    )


MAKERS = {maker.__name__: maker for maker in (igb, e1000e, vmxnet3, veth, mlx5, tg3, ixgbe, i219, bnxt)}
