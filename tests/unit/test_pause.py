# SPDX-License-Identifier: GPL-3.0-or-later
"""Pause frames under autoneg: each driver, as its sources say, at each partner, with each desired state.

A row of DRIVERS says what the kernel's sources say (get_pauseparam, set_pauseparam and get_link_ksettings of the file);
what comes of two advertisements is table 28B-3 of IEEE 802.3, written down here once more, as the registers have it.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils import engine
from ansible_collections.linuxnet.tuning.plugins.module_utils.facts import nics
from ansible_collections.linuxnet.tuning.tests.unit import memory_host

BOTH, RX, TX, NONE = (True, True), (True, False), (False, True), (False, False)
SYMMETRIC, EITHER, ASYMMETRIC, NOTHING = "Symmetric", "Symmetric Receive-only", "Transmit-only", "No"
PARTNERS = (SYMMETRIC, EITHER, ASYMMETRIC, NOTHING)
USUAL = {BOTH: SYMMETRIC, RX: EITHER, TX: ASYMMETRIC, NONE: NOTHING}

# (ours, theirs): (we honour pause frames, we send them); all others come to nothing.
TABLE_28B_3 = {
    (SYMMETRIC, SYMMETRIC): BOTH,
    (SYMMETRIC, EITHER): BOTH,
    (EITHER, SYMMETRIC): BOTH,
    (EITHER, EITHER): BOTH,
    (EITHER, ASYMMETRIC): RX,
    (ASYMMETRIC, EITHER): TX,
}


class Driver(NamedTuple):
    """`takes` what is desired, or asks for both whatever is (`both`); `-a` shows the result or the request; `words` is
    what it advertises for a request, and `says` the lines of ethtool: Advertised, and whether the partner has one.
    `lessens` the result to what was requested; `source` below drivers/net/ethernet. Without a link `-a` has `gone`, if
    not the request; `autoneg` tells when it says that it negotiates."""

    source: str
    takes: str = "desired"
    shows: str = "result"
    supported: str = SYMMETRIC
    words: dict = USUAL
    says: tuple = ("advertised",)
    lessens: bool = False
    gone: tuple = ()
    autoneg: str = "yes"


E1000E = {**USUAL, BOTH: EITHER}
HIDDEN = {"supported": NOTHING, "says": ()}
REQUEST = {"shows": "request", "says": ("advertised", "partner")}
DRIVERS = {
    "ixgbe": Driver("intel/ixgbe/ixgbe_ethtool.c", takes="both"),
    "igb": Driver("intel/igb/igb_ethtool.c", takes="both"),
    "igc": Driver("intel/igc/igc_ethtool.c", takes="both"),
    "e1000e": Driver("intel/e1000e/{ethtool,phy}.c", "both", supported=EITHER, words=E1000E, says=REQUEST["says"]),
    "e1000e before Linux 6.3": Driver("intel/e1000e/{ethtool,phy}.c", "both", words=E1000E, **HIDDEN),
    "e1000": Driver("intel/e1000/{e1000_ethtool,e1000_hw}.c", words=E1000E, lessens=True, **HIDDEN),
    "bnx2": Driver("broadcom/bnx2.c", **HIDDEN),
    "i40e": Driver("intel/i40e/i40e_ethtool.c", supported=EITHER),
    "r8169": Driver("realtek/r8169_main.c", supported=EITHER, says=REQUEST["says"]),
    "tg3": Driver("broadcom/tg3.c", supported=EITHER, **REQUEST),
    "bnxt_en": Driver("broadcom/bnxt/bnxt_ethtool.c", **REQUEST),
    # Both and rx alone are one word here, and the line of the partner is the result in the words of a partner.
    "ice": Driver("intel/ice/ice_ethtool.c", shows="request", words=E1000E, says=("advertised", "result")),
}
ICE_RESULT = {BOTH: SYMMETRIC, RX: ASYMMETRIC, TX: EITHER, NONE: NOTHING}


class Nic:
    """A NIC of a driver, with a partner; answers ethtool."""

    def __init__(self, name, driver, partner, request, linked=True):
        self.driver, self.partner, self.request, self.linked = driver, partner, request, linked
        files = memory_host.Files()
        files.add_nic("eno1", name.split()[0], "8086:1528", "0000:01:00.0", carrier=int(linked))
        files.files["/run/systemd/system/."] = ""
        self.host = memory_host.MemoryHost(self.run, files)
        self.sets = []

    @property
    def result(self):
        rx, tx = TABLE_28B_3.get((self.driver.words[self.request], self.partner), NONE)
        return (rx and self.request[0], tx and self.request[1]) if self.driver.lessens else (rx, tx)

    @property
    def shown(self):
        if not self.linked and self.driver.gone:
            return self.driver.gone
        return self.result if self.driver.shows == "result" else self.request

    def run(self, argv, _data=""):
        argv = list(argv)
        if argv[:2] == ["ethtool", "-a"]:
            rx, tx = ("on" if on else "off" for on in self.shown)
            word = "on" if self.driver.autoneg == "yes" or (self.driver.autoneg == "linked" and self.linked) else "off"
            return 0, f"Pause parameters for eno1:\nAutonegotiate:\t{word}\nRX:\t\t{rx}\nTX:\t\t{tx}\n", ""
        if argv == ["ethtool", "eno1"]:
            return 0, self.link(), ""
        if argv[:2] != ["ethtool", "-A"]:
            return 1, "", "not of interest here"
        assert argv[:3] == ["ethtool", "-A", "eno1"], argv
        self.sets.append(argv[3:])
        words = {key: word == "on" for key, word in zip(argv[3::2], argv[4::2], strict=True)}
        wanted = (words.get("rx", self.shown[0]), words.get("tx", self.shown[1]))
        # The kernel hands nothing on that changes nothing of what is shown (net/ethtool/pause.c).
        if wanted != self.shown:
            self.request = BOTH if self.driver.takes == "both" else wanted
        return 0, "", ""

    def link(self):
        says = self.driver.says
        lines = [f"Supported pause frame use: {self.driver.supported}"]
        told = self.result if "agreed" in says else self.request
        lines += [f"Advertised pause frame use: {self.driver.words[told] if says else NOTHING}"]
        theirs = {"partner": self.partner, "result": ICE_RESULT[self.result]}
        lines += [f"Link partner advertised pause frame use: {text}" for word, text in theirs.items() if word in says]
        # It has that line as soon as the link partner tells anything, be it of other things.
        lines += ["Link partner advertised pause frame use: No"] if "other" in says else []
        lines += ["Speed: 1000Mb/s", "Duplex: Full"] if self.linked else ["Speed: Unknown!", "Duplex: Unknown! (255)"]
        lines += [f"Link detected: {'yes' if self.linked else 'no'}"]
        return "Settings for eno1:\n" + "".join(f"\t{line}\n" for line in lines)

    def tune(self, desired):
        params = {"on_unsupported": "fail", "guard_timeout": 0, "permanent": False}
        pause = dict(zip(("rx", "tx"), desired, strict=True))
        return engine.tune(self.host, "tune", {**params, "nics": [{"name": "eno1", "pause": pause}]})

    def facts(self):
        found = nics.gather(self.host, ["eno1"], [])["eno1"]["pause"]
        return {way: found[way] for way in ("rx", "tx")}


def told(result):
    return {(row["partner"], key) for row in result["negotiated"] for key in row["settings"]}


def unsaid(name):
    """Who shows the request does not show that more than that is in use."""
    return {("more", "rx"), ("more", "tx")} if DRIVERS[name].shows == "request" else set()


def differs(desired, result):
    """What there is to tell: the ways that the partner takes from what this end asks for, and those that it adds."""
    pairs = list(zip(("rx", "tx"), desired, result, strict=True))
    refused = {("refuses", way) for way, wanted, made in pairs if wanted and not made}
    return refused | {("more", way) for way, wanted, made in pairs if made and not wanted}


@pytest.mark.parametrize("desired", (BOTH, RX, TX, NONE))
@pytest.mark.parametrize("partner", PARTNERS)
@pytest.mark.parametrize("before", (BOTH, NONE))
@pytest.mark.parametrize("name", DRIVERS)
def test_what_this_end_asks_for_decides(name, before, partner, desired):
    nic = Nic(name, DRIVERS[name], partner, before)
    result = nic.tune(desired)
    both = DRIVERS[name].takes == "both"
    if result.get("failed"):
        # Only a driver that asks for something else, where it is also in use, has not taken what is desired.
        assert both and desired != BOTH and nic.result != desired
        assert "The driver itself does not accept the value" in result["msg"]
        return
    # What was asked for, or is in force although more was asked for.
    assert all(want in held for want, *held in zip(desired, nic.request, nic.shown, strict=True))
    assert told(result) == differs(desired, nic.result) - unsaid(name)
    again = nic.tune(desired)
    assert not again["changed"] and not again.get("failed")
    assert {one for one in told(again) if one[0] == "refuses"} == {one for one in told(result) if one[0] == "refuses"}


@pytest.mark.parametrize("name", DRIVERS)
def test_a_switch_that_refuses_is_told_of_under_every_driver(name):
    for before in (BOTH, NONE):
        nic = Nic(name, DRIVERS[name], NOTHING, before)
        result = nic.tune(BOTH)
        assert told(result) == {("refuses", "rx"), ("refuses", "tx")} and not result.get("failed")
        assert len(result["warnings"]) == 1 and "It is the switch" in result["warnings"][0]


@pytest.mark.parametrize("name", DRIVERS)
def test_facts_tell_no_more_of_a_partner_than_is_known(name):
    """What nic_info shows: `wanted` where the NIC requests something else than it has."""
    nic = Nic(name, DRIVERS[name], SYMMETRIC, BOTH)
    assert nic.facts() == {"rx": {"value": True}, "tx": {"value": True}}
    refused = Nic(name, DRIVERS[name], NOTHING, BOTH).facts()
    assert [way["partner"] for way in refused.values()] == ["refuses", "refuses"]
    shows_it = DRIVERS[name].says and DRIVERS[name].shows == "result"
    assert [way.get("wanted") for way in refused.values()] == ([True, True] if shows_it else [None, None])


def test_a_direction_that_was_not_asked_for_is_told_where_it_shows():
    more = {"value": True, "wanted": False, "partner": "more"}
    for name in ("i40e", "r8169"):
        assert Nic(name, DRIVERS[name], SYMMETRIC, RX).facts()["tx"] == more


# `-a` says of these that they do not negotiate. The firmware of the first does, and it advertises what came of it.
FORCED = {
    "atlantic": Driver("aquantia/atlantic/aq_{ethtool,nic}.c", shows="request", supported=EITHER, says=("agreed",)),
    "mlx4_core": Driver("mellanox/mlx4/en_ethtool.c", shows="request", says=("advertised", "other")),
    "mlx5_core": Driver("mellanox/mlx5/core/en_ethtool.c", shows="request", says=("advertised", "other")),
}
FORCED = {name: driver._replace(autoneg="no") for name, driver in FORCED.items()}
# Without a link `-a` shows nothing, or for ever what was there before.
GONE = {
    "i40e": DRIVERS["i40e"]._replace(gone=NONE, autoneg="linked"),
    "bnx2": DRIVERS["bnx2"]._replace(gone=NONE),
    "ixgbe": DRIVERS["ixgbe"]._replace(gone=BOTH, takes="desired", autoneg="no"),
    # It may still have the word of a link partner that is gone.
    "r8169": DRIVERS["r8169"]._replace(gone=NONE),
}


@pytest.mark.parametrize("desired", (BOTH, RX, TX))
def test_firmware_that_negotiates_tells_of_a_switch_that_refuses(desired):
    nic = Nic("atlantic", FORCED["atlantic"], NOTHING, NONE)
    result = nic.tune(desired)
    ways = {("refuses", way) for way, on in zip(("rx", "tx"), desired, strict=True) if on}
    assert told(result) == ways and "It is the switch" in result["warnings"][0] and not result.get("failed")
    again = nic.tune(desired)
    assert told(again) == ways and not again["changed"]
    assert told(Nic("atlantic", FORCED["atlantic"], EITHER, NONE).tune(desired)) == set()


@pytest.mark.parametrize("name", ("mlx4_core", "mlx5_core"))
def test_a_partner_that_is_not_asked_is_not_blamed(name):
    nic = Nic(name, FORCED[name], NOTHING, NONE)
    result = nic.tune(BOTH)
    assert told(result) == {("untold", "rx"), ("untold", "tx")} and "at the port of the switch" in result["warnings"][0]
    again = nic.tune(BOTH)
    assert not again["changed"] and not told(again)
    facts = nics.gather(nic.host, ["eno1"], [])["eno1"]
    assert "pause_partner" not in facts and facts["pause"]["autoneg"]["fixed"]


def test_a_partner_that_got_no_request_is_not_blamed():
    nic = Nic("ice", DRIVERS["ice"], SYMMETRIC, NONE)
    assert "Link partner advertised pause frame use: No" in nic.link()
    assert "pause_partner" not in nics.gather(nic.host, ["eno1"], [])["eno1"]
    nic.tune(BOTH)
    assert nics.gather(nic.host, ["eno1"], [])["eno1"]["pause_partner"] == SYMMETRIC


@pytest.mark.parametrize("desired", (BOTH, RX, TX))
@pytest.mark.parametrize("name", GONE)
def test_without_a_link_a_request_is_enough(name, desired):
    nic = Nic(name, GONE[name], SYMMETRIC, BOTH if name == "ixgbe" else NONE, linked=False)
    result = nic.tune(desired)
    assert not result.get("failed"), result["msg"]
    assert nic.request == desired and not result["negotiated"]
    assert not nic.tune(desired)["changed"]
