# SPDX-License-Identifier: GPL-3.0-or-later
"""Read parameters of kernel modules: modprobe.d, arguments of modprobe, and writes into /sys/module."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import List, Mapping, Sequence, Tuple

from ansible_collections.linuxnet.tuning.plugins.module_utils.deciding import inputs
from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import InputError
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings import registry
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import kmod

from .. import masks
from ..model import HOST, NO_EFFECT, NOTE, ON_HOST, OTHER_TOOL, Line
from .settings import Guide

FAMILY = "module_parameters"
VARIABLE = "tuning_host_module_parameters"

# Modules of the network; parameters of others are no matter of this collection.
_NETWORK = """
e100* igb* igc ixgb* i40e* iavf ice idpf fm10k bnx* tg3 b44 mlx* cxgb* csiostor qed* qlge qlcnic netxen* be2net enic
sfc* nfp ena gve virtio_net vmxnet3 hv_netvsc xen_net* r8* 8139* atlantic alx atl1* atl2 jme forcedeth sky2 skge
via_* sis* dl2k s2io vxge niu cassini sungem sunhme tulip ne2k* pcnet32 3c59x natsemi epic100 starfire typhoon tehuti
tn40xx hinic* ionic et131x lan743x lan78xx smsc* asix aqc111 bcmgenet macb fec mtk_eth* dwmac* mvneta mvpp2 fjes ehea
ibmv* amd_xgbe stmmac* hns* mana liquidio thunder* octeon* usbnet cdc_* ax88*
bonding team* 8021q bridge br_netfilter tun tap veth macv* ipvlan vxlan geneve gre ip_gre dummy ifb vhost* wireguard
l2tp* openvswitch pktgen netconsole tcp_* udp_* sctp* mptcp* ipv6 sch_* act_* cls_* nf_* nft_* xt_* x_tables ip_*
ip6* ipt* ebt* sunrpc lockd nfs nfsd nfsv* xprtrdma rpcrdma rds* ib_* rdma_* irdma iw_cm iser* pcie_aspm
"""
_PATTERNS = tuple(_NETWORK.split())
_WLAN = ("iwl*", "ath*", "brcm*", "rt2*", "rtw*", "mt76*", "mt79*", "cfg80211", "mac80211", "wl", "b43*", "mwifiex*")
# All parameters that drivers of the kernel have, where those of the vendor have many more, with a value for each port.
_OWN: Mapping[str, Sequence[str]] = {
    "igb": ("max_vfs", "debug"),
    "ixgbe": ("max_vfs", "allow_unsupported_sfp", "debug"),
    "i40e": ("debug",),
    "ice": ("debug",),
    "ixgbevf": ("debug",),
    "vmxnet3": (),
    "bnx2x": ("num_queues", "disable_tpa", "int_mode", "dropless_fc", "mrrs", "debug"),
    "mlx4_en": ("udp_rss", "pfctx", "pfcrx", "inline_thold"),
}
# Likewise, but this driver of the kernel takes a value for each port.
_EACH_PORT: Mapping[str, Sequence[str]] = {
    "e1000e": (
        *(
            "TxIntDelay",
            "TxAbsIntDelay",
            "RxIntDelay",
            "RxAbsIntDelay",
            "InterruptThrottleRate",
            "IntMode",
            "copybreak",
        ),
        *("copybreak", "SmartPowerDownEnable", "KumeranLockLoss", "WriteProtectNVM", "CrcStripping", "debug"),
    ),
}
_NEAR: Mapping[str, str] = {
    "RSS": "channels",
    **dict.fromkeys(("MQ", "num_rx_rings"), "channels"),
    "InterruptThrottleRate": "coalesce: rx_usecs",
    **dict.fromkeys(("LRO", "disable_lro"), "features: lro"),
    "max_vfs": "sriov",
}


def file(guide: Guide, lines: Sequence[Line]) -> None:
    """A file of modprobe.d, or a list of modules to load."""
    joined = _joined(guide, lines)
    # Old distributions gave each bond an alias of its own, and its options to that.
    aliases = {words[1]: words[2] for _number, words in joined if words[0] == "alias" and len(words) > 2}
    for number, words in joined:
        if words[0] == "options" and len(words) > 2 and aliases.get(words[1]) == "bonding":
            text = f"{' '.join(words[1:])}: options of a single bond; write tuning_bonds"
            guide.sink.remark(number, OTHER_TOOL, text)
        elif words[0] == "options" and len(words) > 2:
            options(guide, number, words[1], words[2:])
        elif words[0] in ("blacklist", "alias", "install", "remove", "softdep", "options"):
            guide.sink.remark(number, OTHER_TOOL, f"{' '.join(words[:2])}: kernel modules belong into modprobe.d")
        else:
            text = f"{masks.shown(' '.join(words))}: modules-load.d has the kernel load it, which stays so"
            guide.sink.remark(number, OTHER_TOOL, text)


def _joined(guide: Guide, lines: Sequence[Line]) -> List[Tuple[int, List[str]]]:
    """The words of each line, with those of the lines that it goes on in."""
    found: List[Tuple[int, List[str]]] = []
    goes_on = False
    for number, text in lines:
        plain = masks.templates(text).strip()
        if not plain or plain.startswith("#"):
            guide.sink.nothing(number, "a comment")
            continue
        words = re.findall(r"(?:\"[^\"]*\"|[^\s\"])+|\"", plain.rstrip("\\"))
        if goes_on and found:
            found[-1][1].extend(words)
            guide.sink.goes_on(number, found[-1][0])
        elif words:
            found.append((number, words))
        goes_on = plain.endswith("\\")
    return found


def options(guide: Guide, line: int, module: str, words: Sequence[str]) -> None:
    """`parameter=value` of one module, as modprobe takes them."""
    for word in words:
        parameter, equals, value = word.partition("=")
        if re.fullmatch(r"\w+", parameter):
            one(guide, line, module, parameter, value.strip("\"'") if equals else "1")
        elif not masks.known(word):
            text = f"{masks.shown(module)}: which parameters {masks.shown(word)} stands for, the text does not tell"
            guide.sink.remark(line, ON_HOST, text)
        else:
            guide.sink.unknown(line, f"{masks.shown(module)}: '{masks.shown(word)}' is no parameter of a kernel module")


def one(guide: Guide, line: int, module: str, parameter: str, raw: str) -> None:
    """One parameter, from wherever it is set."""
    key, value = kmod.name(f"{module}.{parameter}"), raw.strip()
    if not masks.known(key) or not masks.known(value):
        text = f"{masks.shown(key)}: the value {masks.shown(value)} is known on the host only"
        guide.sink.remark(line, ON_HOST, text)
        return
    driver = key.partition(".")[0]
    own = _OWN.get(driver, _EACH_PORT.get(driver))
    if own is not None and parameter not in own:
        near = f"; near to it is {_NEAR[parameter]}" if parameter in _NEAR else ""
        text = f"{key}: the driver of the kernel has no such parameter, only that of the vendor or a patched one{near}"
        guide.sink.remark(line, NO_EFFECT, text)
        return
    if driver in _OWN and "," in value:
        text = f"{key}={value}: one value for each port is for the driver of the vendor; that of the kernel takes one"
        guide.sink.remark(line, NO_EFFECT, text)
        return
    foreign = not guide.foreign and not any(fnmatchcase(key.partition(".")[0], pattern) for pattern in _PATTERNS)
    if foreign and any(fnmatchcase(driver, pattern) for pattern in _WLAN):
        guide.sink.remark(line, OTHER_TOOL, f"{key}: this collection does not manage WLAN")
        return
    try:
        family = registry.FAMILIES[FAMILY]
        said = str(inputs.understand(family.field(key), value).value)
    except InputError as error:
        if foreign:
            guide.sink.remark(line, OTHER_TOOL, f"{key}: no module of the network")
        else:
            guide.sink.unknown(line, str(error))
        return
    if foreign:
        text = f"{key}: no module of the network; {VARIABLE} takes it all the same: {{{key}: {said}}}"
        guide.sink.remark(line, OTHER_TOOL, text)
        return
    if key.startswith("bonding."):
        text = "options of bonding count for bonds that are made later; write tuning_bonds for those of this host"
        guide.sink.remark(line, NOTE, text)
    guide.sink.set(line, HOST, FAMILY, key, int(said) if re.fullmatch(r"0|[1-9]\d*", said) else said)


def modprobe(guide: Guide, line: int, words: Sequence[str]) -> None:
    """The command; what it loads is for modules-load.d, and what it sets is a parameter."""
    given = [word for word in words if not word.startswith("-")]
    removes = any(word in ("-r", "--remove") for word in words)
    if len(given) > 1 and not removes and "-a" not in words:
        options(guide, line, given[0], given[1:])
    said = " ".join(masks.shown(word) for word in words)
    guide.sink.remark(line, OTHER_TOOL, f"modprobe {said}: kernel modules are loaded by modules-load.d and modprobe.d")
