# SPDX-License-Identifier: GPL-3.0-or-later
"""Write the documentation of all settings from their tables, so that it is never behind: `make docs`."""

from __future__ import annotations

import re
import sys
from textwrap import fill, indent

import pages

FRAGMENT = pages.ROOT / "plugins/doc_fragments/nics.py"
PAGE = pages.ROOT / "docs/settings.md"

_HEAD = '''# SPDX-License-Identifier: GPL-3.0-or-later
"""Document the option nics; written by scripts/document_settings.py from the tables in module_utils/settings."""

from __future__ import annotations


class ModuleDocFragment:
    """The option of the modules that set NICs."""

    DOCUMENTATION = r"""
'''

_OPTION = """options:
  nics:
    description:
      - The desired settings of the NICs; one entry for one NIC or for all that a pattern matches. If several entries
        match the same NIC, the later one wins, key by key.
      - Keys of other modules of the collection are ignored, so one list serves all modules. Any other
        unknown key is an error.
      - >-
        A value may be written as C({if_available: VALUE}). A NIC that does not support it then causes a warning
        instead of an error, and gets everything else.
    type: list
    elements: dict
    suboptions:
      name:
        description:
          - The name of the NIC, such as V(enp1s0), or a pattern with C(*), C(?) and C([...]), such as V(enp*).
          - A name that the host does not have is an error; a pattern without a matching NIC is not.
        type: str
      match:
        description:
          - Selects NICs by their properties, in place of O(nics[].name). All conditions must hold. Virtual NICs match
            only by O(nics[].match.network), O(nics[].match.address), O(nics[].match.default_route) and
            O(nics[].match.bond).
          - A match without a NIC on a host is not an error, so it can be written for a whole fleet.
        type: dict
        suboptions:
          driver:
            description: The kernel driver, such as V(ixgbe).
            type: str
          mac:
            description: The MAC address, in quotes; patterns such as V('a0:36:9f:*') work.
            type: str
          pci:
            description: The PCI vendor and device, in quotes, such as V('8086:1528').
            type: str
          bus:
            description: The address on the bus, in quotes, such as V('0000:01:00.0').
            type: str
          network:
            description:
              - The NIC leads to this network, such as V(192.168.32.0/24), or to one of a list of them. It has an
                address in it, or in a larger network that this is a part of (of several the smallest), and may be a
                bond, a VLAN or a bridge.
            type: raw
            version_added: 0.3.0
          address:
            description:
              - The NIC has this address, such as V(192.168.32.1), one in this network, or one of a list of them. It may
                be virtual. With V(false) it has none at all.
            type: raw
            version_added: 0.3.0
          default_route:
            description:
              - Whether a default route of IPv4 or IPv6 in the main table leaves by the NIC. With V(true) it may be
                virtual.
            type: bool
            version_added: 0.3.0
          link:
            description: The NIC has a link at the moment, V(up), or none, V(down).
            type: raw
            version_added: 0.3.0
          bond:
            description:
              - The NIC is a port of this bond, which may be a pattern or a list, of any (V(true)), or none (V(false)).
            type: raw
            version_added: 0.3.0
          min_speed:
            description: The NIC supports at least this many Mb/s, with or without a link. Costs one process per NIC.
            type: int
          max_speed:
            description: The NIC supports at most this many Mb/s. Costs one process per NIC.
            type: int
      sysctl:
        description:
          - >-
            Kernel parameters of the selected NICs, with C({nic}) in each key for the name of the NIC, such as
            V({'net.ipv4.conf.{nic}.rp_filter': 2}). Values are those of the option C(sysctl) of
            M(linuxnet.tuning.tune), which is the module that sets them; the others ignore this key.
        type: dict
        version_added: 0.3.0
"""

_TYPES = {
    "switch": "bool",
    "word": "str",
    "sysctl": "raw",
    "modes": "raw",
    "tunable": "raw",
    "words": "raw",
    "letters": "raw",
    "group": "str",
    "text": "str",
    "addresses": "list",
    "clients": "list",
    "rates": "raw",
    "cpus": "raw",
    "counts": "str",
    "spread": "raw",
    "bytes": "str",
    "fields": "str",
    "qdisc": "raw",
    "each": "raw",
}
_NUMBERS = " A number, V(max), or a percentage of the maximum such as V(50%)."
_ELEMENTS = {"addresses": "str", "clients": "raw"}


def main() -> int:
    """Write the files, or with --check tell whether they are up to date."""
    return pages.write({FRAGMENT: fragment(), PAGE: page()})


def registry():
    """The registry, imported from the collection on PYTHONPATH."""
    from ansible_collections.linuxnet.tuning.plugins.module_utils.settings import registry as found

    return found


def known_as():
    """The words of people, imported likewise."""
    from ansible_collections.linuxnet.tuning.plugins.module_utils.settings import known_as as found

    return found


def fragment() -> str:
    """The fragment with one suboption for each family and key."""
    known = registry()
    lines = [_OPTION]
    for family in known.nic_families(known.FAMILIES).values():
        if family.flat:
            lines += [line for field in family.fields for line in _field(field, 6)]
            continue
        lines.append(f"      {family.name}:\n        description:\n{_item(family.about, 10)}        type: dict\n")
        if family.fields:
            lines.append("        suboptions:\n")
        for field in family.fields:
            lines += _field(field, 10)
    return _HEAD + "".join(lines) + '"""\n'


def _field(field, column: int) -> list[str]:
    """The documentation of one key, indented to a column."""
    space = " " * column
    lines = [f"{space}{field.name}:\n{space}  description:\n{_item(_about(field), column + 4)}"]
    lines.append(f"{space}  type: {_type(field)}\n")
    choices = field.choices if field.kind in ("cpus", "words") else field.words or field.choices
    if choices:
        listed = f"{space}  choices: [{', '.join(repr(word) for word in choices)}]"
        lines.append(fill(listed, 118, subsequent_indent=f"{space}    ", drop_whitespace=True) + "\n")
    if field.kind in _ELEMENTS:
        lines.append(f"{space}  elements: {_ELEMENTS[field.kind]}\n")
    return lines


def _item(text: str, column: int) -> str:
    body = fill(text, 116 - column, break_long_words=False, break_on_hyphens=False)
    # A colon with a blank behind it would make a mapping of a plain text.
    start = "- >-\n" if ": " in text else "- "
    return indent(f"{start}{body}".replace("\n", "\n  "), " " * column) + "\n"


def _about(field) -> str:
    text = field.about[0].upper() + field.about[1:] + "."
    if not field.relative:
        return text
    return text + (" One of them, or V(max)." if field.choices else _NUMBERS)


def _type(field) -> str:
    return _TYPES.get(field.kind) or ("raw" if field.relative else "int")


def page() -> str:
    """The page that lists every key."""
    known = registry()
    parts = [
        "# Settings\n",
        "You want to know what you can write for a NIC. Each heading is a group of keys of an entry in `tuning_nics`,\n"
        "in the order in which a host gets them; `ansible-doc linuxnet.tuning.tune` has the same. `max` is the\n"
        "maximum that the device reports, and `50%` half of it. This page is written by `make docs`.\n",
        "## What people look for\n",
        "Examples: each line is a key of an entry in `tuning_nics`, or a variable whose name begins with `tuning_`.\n"
        "[Variables](variables.md) has the rest: how entries select NICs, and numbers that the host computes.\n",
        "| words | write |\n|---|---|\n" + "\n".join(map(_looked_for, known_as().KNOWN)) + "\n",
    ]
    for family in known.FAMILIES.values():
        if family.follows or family.desire or (family.flat and not family.fields):
            continue  # what follows from keys of other groups, or goes with them
        where = "in the entry itself" if family.flat else f"under `{family.name}`"
        where = where if family.scope == "nic" else f"under `tuning_{family.name}`"
        parts.append(f"## {family.name}\n")
        parts.append(f"{_markdown(family.about)} Written {where}, set by the module `{family.module}`.\n")
        if family.hint:
            parts.append(f"If a value is refused: {_markdown(family.hint)}\n")
        if family.fields:
            rows = [f"| `{field.name}` | {_values(field)} | {_markdown(field.about)} |" for field in family.fields]
            parts.append("| key | value | meaning |\n|---|---|---|\n" + "\n".join(rows) + "\n")
    return "\n".join(parts)


def _looked_for(one) -> str:
    """A row for those who know a setting by another word than ours; the group has a link to its heading."""
    group = one.write[-1].partition(":")[0]
    link = f" ([{group}](#{group}))" if group in registry().FAMILIES else ""
    return f"| {', '.join(one.words)} | {' and '.join(f'`{line}`' for line in one.write)}{link} |"


def _values(field) -> str:
    if field.words and field.kind != "cpus":
        return " or ".join(f"`{word}`" for word in field.words)
    if field.choices:
        return " or ".join([*(f"`{number}`" for number in field.choices), *(["`max`"] if field.relative else [])])
    plain = {
        "switch": "`true` or `false`",
        "integer": "number",
        "modes": "list of modes or speeds, `all`, `{at_most: 1000}`",
        "tunable": "number or `off`",
        "letters": "word, list of words, or letters",
        "group": "name or number",
        "text": "text",
        "addresses": "list of addresses",
        "clients": "list of clients",
        "rates": "`auto`, number, or list of them",
        "counts": "number",
        "spread": "words, or list of queues",
        "bytes": "bytes, or `symmetric`",
        "fields": "letters",
        "qdisc": "words of `tc`",
        "each": "one for all, or a list",
    }.get(field.kind, ", ".join([*(f"`{word}`" for word in field.words), "CPU list"]))
    return plain + ", `max`, `50%`" if field.relative else plain


def _markdown(text: str) -> str:
    return re.sub(r"[CVO]\(([^)]*)\)", r"`\1`", text)


if __name__ == "__main__":
    sys.exit(main())
