# SPDX-License-Identifier: GPL-3.0-or-later
"""Know values that the kernel refuses for a parameter, or of which it takes a part alone."""

from __future__ import annotations

import re

from . import kernel_names

_SIZE = re.compile(r"(\d+)\s*([kKmMgG])(?:i?[bB])?")
# Parameters of several numbers, and how many these are.
_VECTORS = re.compile(r"net\.ipv4\.(?:(?:tcp|udp)_(?:[rw]?mem)|ip_local_port_range|ping_group_range)$")
_THREE = re.compile(r"net\.ipv4\.(?:tcp_[rw]?mem|udp_mem)$")
# Parameters that are no numbers, or lists of them with signs in between.
_TEXTS = re.compile(
    r"net\.(?:core\.(?:default_qdisc|flow_limit_cpu_bitmap|rps_default_mask|netdev_rss_key)|netfilter\.nf_log\.|mptcp\.|sctp\."
    r"|ipv4\.(?:tcp_\w*(?:congestion_control|ulp|fastopen_key|scheduler)|ip_local_reserved_ports|cipso_|sysctl_)"
    r"|ipv6\.conf\.[^.]+\.stable_secret)"
)
_NUMBERS = re.compile(r"-?(?:0[xX][\da-fA-F]+|\d+)(?:\s+-?(?:0[xX][\da-fA-F]+|\d+))*")
# Sizes of which the kernel takes no 0.
_NOT_ZERO = re.compile(r"net\.(?:core\.[rw]mem_(?:max|default)|ipv4\.(?:tcp_[rw]mem|udp_[rw]mem_min))$")
_SWITCH = ("on", "off", "enable", "disable", "enabled", "disabled", "true", "false", "yes", "no")


def holds_several(name: str) -> bool:
    """Whether a parameter is several numbers."""
    return _VECTORS.match(name) is not None


def why(name: str, value: str) -> str:
    """Why the kernel refuses a value; empty where it may take it."""
    size = _SIZE.fullmatch(value)
    if size:
        bytes_ = int(size[1]) * 1024 ** ("kmg".index(size[2].lower()) + 1)
        return f"the kernel takes plain numbers and refuses '{value}'; write {bytes_}"
    if _VECTORS.match(name) and "," in value:
        return f"the kernel takes numbers with blanks between them and refuses the commas of '{value}'"
    if "\\" in value:
        return "no line of sysctl goes on in the next one, and the kernel refuses the backslash"
    if value[:1] in ("=", "~"):
        return "it is compared, not set"
    letters = any(re.match(r"[A-Za-z]", word) for word in value.split())
    if value.lower() in _SWITCH or (letters and kernel_names.takes_numbers(name)):
        return f"the kernel takes numbers and refuses '{value}'"
    if not name.startswith("net.") or kernel_names.unknown(name) or _TEXTS.match(name):
        return ""
    if any((word[0].isdecimal() or word[0] in ":;,.|/") and not _NUMBERS.fullmatch(word) for word in value.split()):
        return f"the kernel takes plain numbers and refuses '{value}'"
    if _NOT_ZERO.match(name) and "0" in value.split():
        return f"the kernel takes no 0 here and refuses '{value}'"
    if _THREE.match(name) and _NUMBERS.fullmatch(value) and len(value.split()) < 3:
        return f"the kernel takes three numbers, and of these {value} sets the first ones alone"
    return ""
