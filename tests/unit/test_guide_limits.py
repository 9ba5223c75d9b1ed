# SPDX-License-Identifier: GPL-3.0-or-later
"""Damaged texts, and texts that grow without end, have an answer, and soon."""

from __future__ import annotations

import time

import pytest
from ansible.errors import AnsibleFilterError

from ansible_collections.linuxnet.tuning.plugins.filter.guide_to_inventory import guide_to_inventory

LAST = "ethtool -K eth9 gro off"


def nested_substitutions(count):
    return "x=" + "$(echo " * count + "1" + ")" * count


def aliases(levels):
    rows = ["a0: &a0 [ethtool -K eth0 gro off, ethtool -K eth0 gso off]"]
    rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, levels + 1)]
    return "\n".join(rows)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("if true; then\n" * 200 + "ethtool -K eth0 gro off\n" + "fi\n" * 200, "too deep"),
        ("echo " + "$(" * 3000 + "\n", "too deep"),
        (nested_substitutions(20) + "\nethtool -G eth0 rx $x\n" + LAST, "too deep"),
        ("ethtool -K eth{1..99}{1..99}{1..99}{1..99} gro off\n" + LAST, "too large"),
        ("for x in {1..99}{1..99}{1..99}{1..99}; do ethtool -K eth$x gro off; done\n" + LAST, "too large"),
        ("ethtool -K eth{1..99999999} gro off\n" + LAST, "too large"),
        ("x=aaaaaaaaaaaaaaaa\n" + "x=$x$x\n" * 60 + LAST, "too large"),
        ("x=(a b c d)\n" + 'x=("${x[@]}" "${x[@]}")\n' * 40 + LAST, "too large"),
    ],
)
def test_a_script_too_large_or_too_deep_says_so(text, said):
    begun = time.process_time()
    found = guide_to_inventory(text, form="shell")
    assert time.process_time() - begun < 5
    assert any(said in one["message"] for one in found["not_understood"])
    nics = [entry["name"] for entry in found["inventory"].get("tuning_host_nics", ())]
    assert nics == (["eth9"] if text.endswith(LAST) else [])


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a*)*b", "a*a*a*a*a*b", "a?" * 28 + "b", "(a|a)" * 28 + "b"])
def test_a_pattern_that_takes_for_ever_is_not_tried(pattern):
    text = f"echo {'a' * 60} net.core.rmem_max=1 | grep -E '{pattern}' | sed -E 's/{pattern}/x/' > /etc/sysctl.conf\n"
    begun = time.process_time()
    assert guide_to_inventory(text + LAST, form="shell")["inventory"]["tuning_host_nics"][0]["name"] == "eth9"
    assert time.process_time() - begun < 5


def test_a_pattern_that_takes_long_for_many_characters_is_not_tried():
    pipe = f"echo {'a' * 380} net.core.rmem_max=1 | grep -E 'a*a*a*b' > /etc/sysctl.conf\n"
    begun = time.process_time()
    assert guide_to_inventory(pipe * 20 + LAST, form="shell")["inventory"]["tuning_host_nics"][0]["name"] == "eth9"
    assert time.process_time() - begun < 5


def test_aliases_that_multiply_are_not_followed():
    begun = time.process_time()
    found = guide_to_inventory(aliases(6), form="yaml")
    assert time.process_time() - begun < 5
    assert found["inventory"] == {}
    assert [one["line"] for one in found["not_understood"]] == list(range(1, 8))
    assert guide_to_inventory(aliases(1), form="yaml")["inventory"]
    assert guide_to_inventory("a: &a [*a, ethtool -K eth0 gro off]", form="yaml")["not_understood"]


@pytest.mark.parametrize("path", ["", "/etc/netplan/x.yaml"])
def test_what_no_parser_takes_is_one_error_that_names_the_text(path):
    options = {"path": path, "form": "yaml"}
    with pytest.raises(AnsibleFilterError, match=f"{path or 'the text'} .it begins with '.* cannot be read"):
        guide_to_inventory("[" * 3000, **options)


@pytest.mark.parametrize(
    ("form", "line"),
    [
        ("sysctl", "net.ipv4.conf.eth{0}.rp_filter = 1"),
        ("sysctl", "net.core.rmem_max = {0}"),
        ("udev", 'SUBSYSTEM=="net", ATTR{{address}}=="02:00:00:00:{1:02x}:{2:02x}", ATTR{{mtu}}="9000"'),
    ],
)
def test_a_long_text_takes_no_more_for_each_line_than_a_short_one(form, line):
    text = "\n".join(line.format(number, *divmod(number, 256)) for number in range(20000))
    begun = time.process_time()
    found = guide_to_inventory(text, form=form)
    assert time.process_time() - begun < 8
    assert len(found["lines"]) == 20000


@pytest.mark.parametrize("line", ["<p " * 20000, "</a>" * 20000 + "x", " " * 40000 + "x"])
def test_a_long_line_of_tags_or_blanks_takes_no_more_for_each_sign_than_a_short_one(line):
    begun = time.process_time()
    found = guide_to_inventory(f"{line}\n{LAST}", form="prose")
    assert time.process_time() - begun < 5
    assert found["inventory"]["tuning_host_nics"][0]["name"] == "eth9"
