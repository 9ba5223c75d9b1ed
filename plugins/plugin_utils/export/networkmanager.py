# SPDX-License-Identifier: GPL-3.0-or-later
"""Write calls of nmcli that change the profiles which NICs have.

There is no keyfile: NetworkManager uses one profile for a NIC, so one of ours would take the place of the one with its
addresses.
"""

from __future__ import annotations

from typing import Iterator, List, Mapping, Optional, Sequence, Tuple

from ansible_collections.linuxnet.tuning.plugins.module_utils.schema import Desired
from ansible_collections.linuxnet.tuning.plugins.module_utils.text import quote

from ..dialects import networkmanager as words
from . import kernel_parameters, selectors
from .model import DesiredHost, Entry, Export, Form, exactly, named, switch, why_not

PATH = "networkmanager.sh"
_ABOUT = (
    "The desired settings of NICs in the profiles of NetworkManager, for hosts that Ansible does not manage.",
    "Run it once as root: it changes the profile that each NIC has at the moment, which NetworkManager keeps. The",
    "last command of each NIC has it set the values now, which may interrupt the link for some seconds.",
)
# A NIC that is another program's, or without a cable, has no profile, and each command would say so in its own way.
_PROFILE = """
nmcli general status > /dev/null || exit 1

# The profile that a NIC has at the moment.
profile_of() {
  profile=$(nmcli -g GENERAL.CON-UUID device show "$1" 2> /dev/null)
  [ -n "$profile" ] && return
  echo "$1: NetworkManager has no active connection on it, so nothing was set; see: nmcli device" >&2
  failed=1
  return 1
}"""
_ROUTES = "ipv4.routes and ipv6.routes take it with the whole route, whose gateway the inventory does not know"
# Versions of Debian 12 and RHEL 8 and later know what is older.
_OLD = (1, 40)


class _Profiles(Form):
    def write(self) -> Export:
        parameters = kernel_parameters.lines(self)
        if self.desired.profile:
            self.cannot(f"tuning_tuned_profile {self.desired.profile}", "run tuned-adm profile on the host")
        body = [line for entry in self.desired.nics for line in self._entry(entry)]
        files = {}
        if body:
            head = [
                "#!/bin/sh",
                *self.header("#", _ABOUT),
                "",
                "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
                "failed=0",
                _PROFILE,
            ]
            files[PATH] = "\n".join([*head, *body, "", 'exit "$failed"', ""])
        if parameters:
            files[kernel_parameters.PATH] = kernel_parameters.text(self, parameters)
        return Export(files, tuple(self.unsaid), {PATH: "0755"})

    def _entry(self, entry: Entry) -> List[str]:
        loop = selectors.loop(entry)
        if loop is None:
            self.cannot_any(entry, selectors.refusal(entry))
            return []
        opening, closing, nic = loop
        # One call for a family: NetworkManager refuses a speed without its duplex.
        found = [
            [pair for pair in (self._pair(entry, family, key, one) for key, one in keys.items()) if pair]
            for family, keys in entry.families.items()
        ]
        calls = [pairs for pairs in found if pairs]
        if not calls:
            return []
        device = f'"{nic}"' if nic.startswith("$") else quote(nic)
        indent = "  " if opening else ""
        lines = [
            f"if profile_of {device}; then",
            *(f"  {line}" for pairs in calls for line in _calls(pairs)),
            f"  nmcli device reapply {device} || failed=1",
            "fi",
        ]
        return ["", f"# {entry.selector}", *opening, *(indent + line for line in lines), *closing]

    def _pair(self, entry: Entry, family: str, key: str, one: Desired) -> Optional[Tuple[str, str]]:
        """A property with its value, and since which version there is one."""
        word = words.PROPERTIES.get((family, key))
        what = named(entry, family, key, one)
        if word is None:
            self.cannot(what, _ROUTES if family == "routes" else "NetworkManager has no property for it")
            return None
        if not exactly(one):
            self.cannot(what, why_not(one))
            return None
        text = self._value(family, key, one, word.form)
        if text is None:
            self.cannot(what, "NetworkManager does not accept this value")
            return None
        why = _of_a_link(key, one, entry.families[family]) if family == "speed" else ""
        if why:
            self.cannot(what, why)
            return None
        return f"{word.word} {quote(text)}", word.since

    def _value(self, family: str, key: str, one: Desired, form: str) -> Optional[str]:
        if family == "wol":
            letters = str(one.value)
            if letters == "d":
                return "none"
            return ",".join(words.WAKE[one] for one in letters) if set(letters) <= set(words.WAKE) else None
        if family == "fec":
            return ",".join(str(one.value).split())
        if family == "qdisc":
            # Its options are known there of few kinds only.
            return f"root {one.value}" if " " not in str(one.value) and one.value != "default" else None
        return switch(one, *{words.NUMBER: ("1", "0"), words.YES: ("yes", "no")}.get(form, ("on", "off")))


def _of_a_link(key: str, one: Desired, keys: Mapping[str, Desired]) -> str:
    """Why NetworkManager would not do what is desired of a link; empty where it would."""
    both = {"speed", "duplex"} <= set(keys)
    if key in ("speed", "duplex") and not both:
        return "NetworkManager sets speed and duplex only together"
    if key in ("speed", "duplex") and "autoneg" not in keys:
        # Its own default is not to negotiate, also of what has to, such as 1000BASE-T.
        return "NetworkManager would force it, and not negotiate; write autoneg as well"
    if key == "autoneg" and one.value is False and not both:
        return "NetworkManager leaves a link alone that has no speed and duplex; write both"
    return ""


def _calls(pairs: Sequence[Tuple[str, str]]) -> Iterator[str]:
    """One command; what came later has its own, for an older NetworkManager refuses a command as a whole."""
    newer = sorted({since for _words, since in pairs if _release(since) > _OLD}, key=_release)
    for version in ("", *newer):
        found = [text for text, since in pairs if (since if since in newer else "") == version]
        if version:
            yield f"# needs NetworkManager {version}"
        if found:
            yield f'nmcli connection modify "$profile" {" ".join(found)} || failed=1'


def _release(text: str) -> Tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))


def write(desired: DesiredHost) -> Export:
    """The script for one host, and its kernel parameters."""
    return _Profiles(desired).write()
