# SPDX-License-Identifier: GPL-3.0-or-later
"""Write the page of all profiles from their files, so that it is never behind: `make docs`."""

from __future__ import annotations

import re
import sys

import pages
import yaml

FOLDER = pages.ROOT / "playbooks/profiles"
PAGE = pages.ROOT / "docs/profiles.md"

_HEAD = """# Profiles

You have a host of a known kind and want the settings of its guides, without the harmful ones. Each profile is a file in
`playbooks/profiles/` with the reason and the source of each line; `make docs` writes this page from these files.

```yaml
tuning_profile: dtn_100g                # or a list; the lowest layer, below tuning_sysctl and tuning_nics
tune_profile_folder: /srv/our-profiles  # a folder of your own with files of the same form
```

This shows what a profile would change, and why, without any change:

```
ansible-playbook -i inventory.yml linuxnet.tuning.audit -e audit_against=dtn_100g
```

Sizes are only raised (`at_least`, `max`), except in `low_latency` and `intel_82599`. To replace a line, write your own
value in `tuning_sysctl` or `tuning_nics`. A setting that a device does not support is an error, unless
`tuning_on_unsupported` is `warn`. The head of each profile says what it leaves out of its guides; see also
[five guides as inventory](guides.md). In a profile of your own a comment is the reason for the lines below it, up to
the next comment or an empty line, and may begin with the name of a source, such as `[esnet]`.
"""


def main() -> int:
    """Write the page, or with --check tell whether it is up to date."""
    return pages.write({PAGE: page()})


def page() -> str:
    """The page with a table for each profile."""
    parts = [_HEAD]
    for path in sorted(FOLDER.glob("*.yml")):
        parts += [f"## {path.stem}\n", *_profile(path.read_text())]
    return "\n".join(parts)


def _profile(text: str) -> list[str]:
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils import profiles

    found, known = yaml.safe_load(text), profiles.reasons(text)
    rows = []
    for entry in found.get("nics", []):
        where = ", ".join(f"{key} {_say(value)}" for key, value in entry["match"].items())
        for family, keys in entry.items():
            if family == "match":
                continue
            inner = (
                {f"{family} {key}": value for key, value in keys.items()}
                if isinstance(keys, dict) and not set(keys) & set(profiles.CONDITIONS)
                else {family: keys}
            )
            rows += [(name, value, where, known.get(name)) for name, value in inner.items()]
    rows += [(key, value, "host", known.get(key)) for key, value in (found.get("sysctl") or {}).items()]
    table = [_row(*row) for row in _said_once(rows)]
    return [f"{_about(text)}\n", "| setting | where | why |\n|---|---|---|\n" + "\n".join(table) + "\n"]


def _about(text: str) -> str:
    """The head of the file, up to its sources."""
    head = re.match(r"---\n((?:#.*\n)*)", text)
    words = head[1].split("# Sources:")[0] if head else ""
    return "\n".join(line.lstrip("#").strip() for line in words.splitlines()).strip()


def _said_once(rows):
    """The rows, where what is the same on other NICs only says so."""
    told: set = set()
    for name, value, where, why in rows:
        yield name, value, where, "The same." if (name, why) in told else why
        told.add((name, why))


def _row(setting: str, value, where: str, why) -> str:
    """A line of the table; a warning with a value is why it is no good."""
    if isinstance(value, dict) and "warning" in value:
        value, why = value["value"], f"It warns: {value['warning']}"
    return f"| `{setting}: {_say(value)}` | {where} | {_reason(why)} |"


def _reason(why) -> str:
    if isinstance(why, str):
        return why
    if why is None or not why.text:
        return ""
    text = why.text.replace("|", "\\|")
    return f"{text} ([source]({why.reference}))" if why.reference else text


def _say(value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_say(part)}" for key, part in value.items()) + "}"
    return "[" + ", ".join(map(_say, value)) + "]" if isinstance(value, list) else str(value)


if __name__ == "__main__":
    sys.exit(main())
