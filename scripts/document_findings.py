# SPDX-License-Identifier: GPL-3.0-or-later
"""Write the page of all findings from the rules and their cases, so that it is never behind: `make docs`."""

from __future__ import annotations

import sys

import pages
import yaml

PAGE = pages.ROOT / "docs/findings.md"
CASES = pages.ROOT / "tests/unit/cases/findings"

_HEAD = """# Findings

You have read a line of an audit and want to know what is behind it. Each heading is what the playbook `audit` can find,
worst first. This page is written by `make docs` from the rules in `plugins/plugin_utils/findings/rules`; the examples
are cases of the unit tests, and a test makes sure that what they propose ends the finding.

Above `note` a finding has proof: packets that were lost, errors, a link below what both ends can, or a setting that is
wrong on any host. What is only a policy, such as jumbo frames or what a firmware starts with, is a note. What the
inventory asks for in so many words is a note at most, unless packets are lost by it.

| severity | means |
|---|---|
| critical | it does not work as it is |
| high | most of the speed is lost |
| medium | some of it is lost, or will be |
| low | worth a change when there is time |
| note | good to know |
"""


def main() -> int:
    """Write the page, or with --check tell whether it is up to date."""
    return pages.write({PAGE: page()})


def page() -> str:
    """The page: a table of all rules, then one part for each."""
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.findings import registry

    rules = registry.rules()
    rows = [f"| [{rule.title}](#{rule.id}) | {rule.severity} |" for rule in rules]
    parts = [_HEAD, "\n".join(["| finding | severity |", "|---|---|", *rows]) + "\n"]
    return "\n".join([*parts, *(_rule(rule) for rule in rules)])


def _rule(rule) -> str:
    finding = _example(rule.id)
    evidence = yaml.safe_dump(finding["evidence"], sort_keys=False, allow_unicode=True, width=100).rstrip()
    lines = [
        f"## {rule.id}\n",
        f"**{rule.title}** ({rule.severity}): when {rule.condition}.\n",
        f"{rule.explanation} {rule.action} ([reference]({rule.reference}))\n",
        f"Evidence, such as:\n\n```yaml\n{evidence}\n```\n",
    ]
    if finding.get("remedy"):
        remedy = yaml.safe_dump(finding["remedy"], sort_keys=False, width=100).rstrip()
        lines.append(f"Remedy:\n\n```yaml\n{remedy}\n```\n")
    return "\n".join(lines)


def _example(rule: str):
    """The first finding of the first case that has one."""
    from ansible_collections.linuxnet.tuning.plugins.plugin_utils.findings import judge

    for path in sorted((CASES / rule).glob("*.yml")):
        case = yaml.safe_load(path.read_text())
        found = [item for item in judge.findings(case["facts"], case.get("measured")) if item["id"] == rule]
        if found:
            return found[0]
    raise SystemExit(f"tests/unit/cases/findings/{rule}: no case in which the rule finds something")


if __name__ == "__main__":
    sys.exit(main())
