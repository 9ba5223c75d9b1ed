# SPDX-License-Identifier: GPL-3.0-or-later
"""What guides and files come to as inventory: a case for each form, and what holds for all of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible.errors import AnsibleFilterError
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.linuxnet.tuning.plugins.filter.guide_to_inventory import guide_to_inventory
from ansible_collections.linuxnet.tuning.plugins.module_utils.deciding import plan
from ansible_collections.linuxnet.tuning.plugins.module_utils.settings import bonds, registry
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.guide import masks, reader
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.guide.scripts import rounds
from ansible_collections.linuxnet.tuning.plugins.plugin_utils.guide.shell import expand, lexer
from ansible_collections.linuxnet.tuning.tests.unit import case_files
from ansible_collections.linuxnet.tuning.tests.unit.how_many import examples

CASES = {path.stem: case_files.read(path) for path in sorted((Path(__file__).parent / "cases/guide").glob("*"))}
OPTIONS = ("path", "form", "kernel", "arguments", "all_parameters")


def read(case):
    return guide_to_inventory(case["text"], **{key: case[key] for key in OPTIONS if key in case})


def by_name(inventory):
    """Entries of NICs by what they mean, for their order says nothing."""
    nics = {str(entry.get("name", entry.get("match"))): entry for entry in inventory.get("tuning_host_nics", ())}
    return {**inventory, **({"tuning_host_nics": nics} if nics else {})}


def accepted(inventory):
    """Whether the modules take the inventory: keys, values and bonds, as they read them before a host is touched."""
    families = registry.FAMILIES
    flat = {field.name: family.name for family in families.values() if family.flat for field in family.fields}
    for entry in inventory.get("tuning_host_nics", ()):
        layer = {}
        for key, value in entry.items():
            registry.check_key(key)
            if key in flat:
                layer.setdefault(flat[key], {})[key] = value
            elif key not in registry.SELECTORS:
                layer[key] = value
        plan.overlay([("eth0", layer)], families)
        assert ("name" in entry) != ("match" in entry)
    for family in ("sysctl", "module_parameters"):
        plan.overlay([("", {family: inventory.get(f"tuning_host_{family}", {})})], families)
    bonds.parse(inventory.get("tuning_bonds", ()))


@pytest.mark.parametrize("name", CASES)
def test_case(name):
    case = CASES[name]
    result = read(case)
    assert by_name(result["inventory"]) == by_name(case["inventory"])
    assert result["fill_in"] == case.get("fill_in", [])
    if "remarks" in case:
        left_out = {remark["line"]: remark["kind"] for remark in result["remarks"]}
        assert {line: left_out.get(line) for line in case["remarks"]} == case["remarks"]
    assert [remark["line"] for remark in result["not_understood"]] == case.get("not_understood", [])
    lines = {line["line"]: line for line in result["lines"]}
    assert {number: lines[number]["outcome"] for number in case.get("lines", ())} == case.get("lines", {})
    assert {number: "; ".join(lines[number]["messages"]) for number in case.get("says", ())} == case.get("says", {})
    accepted(result["inventory"])


@pytest.mark.parametrize("name", CASES)
def test_no_line_vanishes(name):
    result = read(CASES[name])
    texts = CASES[name]["text"].splitlines()
    assert [(line["line"], line["text"]) for line in result["lines"]] == list(enumerate(texts, 1))
    for line in result["lines"]:
        assert line["outcome"] in ("inventory", "remark", "not_understood", "nothing")
        head = result["lines"][line.get("goes_on_from", line["line"]) - 1]
        assert bool(head["settings"]) == (line["outcome"] == "inventory") or line["outcome"] == "not_understood"
        assert line["outcome"] == head["outcome"]
        assert line["messages"] or line["settings"]


# Openings without ends, ends without openings, and what is something else in another form.
PIECES = r"""
ethtool -K eth0 tso off
for x in a b; do
done
if [ -n "$1" ]; then
fi
case $1 in
esac
a) echo 1 ;;
echo 'x
x=$(
cat <<EOF
EOF
}
f() {
f $@
echo 1 > /proc/sys/net/core/somaxconn
while :; do
((i++))
[Match]
a: b
- {x: [
net.core.rmem_max = 5
KERNEL=="e"
${x:
`
{{ x }}
$'\n' é
x=(1 2
\
| tee
tc qdisc add dev eth0 parent 1:x fq
echo " "
x "
" y
iface eth0 inet static
bond-mode 4
MASTER=bond0
""".splitlines()


@settings(deadline=None, max_examples=examples(60), derandomize=True)  # a busy machine is no slow reader
@given(st.lists(st.sampled_from(PIECES), max_size=12))
def test_nothing_crashes_and_no_line_vanishes(lines):
    for form in ("", *reader.FORMS):
        result = reader.read("\n".join(lines), form=form)
        assert len(result["lines"]) == len("\n".join(lines).splitlines())
        accepted(result["inventory"])


@pytest.mark.parametrize(
    ("raw", "fields"),
    [
        ("$x", ["a", "b"]),
        ('"$x"', ["a b"]),
        ("'$x'", ["$x"]),
        ("${path##*/}", ["*"]),
        ("${path%/*}", ["/sys/class/net"]),
        ("${none:-all}", ["all"]),
        ("/proc/irq/$((i + 29))/x", ["/proc/irq/32/x"]),
        ("rx-{0..2}", ["rx-0", "rx-1", "rx-2"]),
        ("{a,b}$i", ["a3", "b3"]),
        ('"${list[@]}"', ["q", "w z"]),
        ("${#list[@]}", ["2"]),
        ("$'a\\tb'", ["a\tb"]),
        ('a"b c"d', ["ab cd"]),
        ("$[1 << i]", ["8"]),
    ],
)
def test_words_are_expanded_as_a_shell_does(raw, fields):
    scope = expand.Scope([])
    scope.values = {"x": "a b", "i": "3", "path": "/sys/class/net/*", "list": ["q", "w z"]}
    assert expand.fields(raw, scope) == fields


def test_what_only_the_host_knows_is_shown_as_it_was_written():
    found = expand.fields("/x/$(nproc  -a)/$1", expand.Scope())
    assert [masks.shown(word) for word in found] == ["/x/$(nproc  -a)/$1"]
    assert not masks.known(found[0])


def test_broken_text_names_its_line():
    with pytest.raises(lexer.Broken) as error:
        lexer.tokens([(7, "echo a"), (8, 'echo "b'), (9, "c")])
    assert error.value.line == 8


@pytest.mark.parametrize(
    ("wrong", "options", "said"),
    [
        (None, {}, "needs a text"),
        ({"a": 1}, {}, "needs a text"),
        ({}, {}, "needs a text"),
        ({"/etc/rc.local": ""}, {"form": "shell"}, "are for one text"),
        ("x", {"form": "perl"}, "form 'perl' is not valid; write one of shell"),
        ("x", {"arguments": "eth0"}, "arguments needs a list"),
    ],
)
def test_filter_refuses_what_is_no_guide(wrong, options, said):
    with pytest.raises(AnsibleFilterError, match=said):
        guide_to_inventory(wrong, **options)


def test_files_of_a_host_are_read_together():
    found = guide_to_inventory(
        {
            "/etc/sysctl.d/50-a.conf": "net.core.rmem_max = 1048576\nnet.core.wmem_max = 1048576\n",
            "/etc/network/interfaces": "iface eth0 inet dhcp\n  mtu 9000\n",
            "/etc/rc.local": "#!/bin/sh\nsysctl -w net.core.rmem_max=4194304\nethtool -K eth0 lro off\n",
        }
    )
    assert found["inventory"] == {
        "tuning_host_nics": [{"name": "eth0", "mtu": 9000, "features": {"lro": False}}],
        "tuning_host_sysctl": {"net.core.wmem_max": 1048576, "net.core.rmem_max": 4194304},
    }
    assert found["form"] == {
        "/etc/sysctl.d/50-a.conf": "sysctl",
        "/etc/network/interfaces": "interfaces",
        "/etc/rc.local": "shell",
    }
    assert [(one["file"], one["line"], one["kind"]) for one in found["remarks"]] == [
        ("/etc/sysctl.d/50-a.conf", 1, "contradicts")
    ]
    assert "line 2 of /etc/rc.local" in found["remarks"][0]["message"]
    assert [(one["file"], one["line"]) for one in found["lines"]][-1] == ("/etc/rc.local", 3)


@pytest.mark.parametrize(
    "text",
    [
        'ethtool -K {{ lookup("pipe", "id") }} gro off',
        "a='{'; b='}'; ethtool -K $a$a\\ lookup$b$b gro off",
        "tuned-adm profile '{''{' x",
        "[Match]\nDriver={{x\n[Link]\nMTUBytes=9000",
    ],
)
def test_nothing_in_the_inventory_is_a_template(text):
    found = guide_to_inventory(text, form="systemd" if text[0] == "[" else "shell")
    assert not any(mark in str(found["inventory"]) for mark in ("{{", "{%", "{#"))
    assert found["not_understood"] or found["fill_in"]


def test_loops_over_interrupts_have_an_end():
    """Each is walked many times; a text with more of them than people write leaves the last ones as remarks."""
    loop = "for i in $(grep eth{0} /proc/interrupts | cut -d: -f1); do echo {0} > /proc/irq/$i/smp_affinity_list; done"
    found = guide_to_inventory("\n".join(loop.format(number) for number in range(34)), form="shell")
    assert len(found["inventory"]["tuning_host_nics"]) == 34
    counting = loop.replace("echo {0}", "echo $n").replace("; done", "; n=$((n+1)); done")
    found = guide_to_inventory("\n".join("n=0; " + counting.format(number) for number in range(34)), form="shell")
    assert len(found["inventory"]["tuning_host_nics"]) == 32
    assert [remark["line"] for remark in found["remarks"]] == [33, 34]


def test_of_names_of_interrupts_the_later_one_stands_first():
    """The first pattern that fits an interrupt wins."""
    loop = "for i in $(grep {} /proc/interrupts | cut -d: -f1); do echo {} > /proc/irq/$i/smp_affinity_list; done"
    names = ("eth0-rx", 4), ("eth0", "0-1"), ("eth0-tx", 2), ("eth0-tx-3", 3)
    found = guide_to_inventory("\n".join(loop.format(*one) for one in names), form="shell")
    [entry] = found["inventory"]["tuning_host_nics"]
    assert list(entry["irq"]["affinity"].items()) == [("*-tx-3", "3"), ("*-tx*", "2"), ("*", "0-1")]
    assert [(one["line"], one["kind"]) for one in found["remarks"]] == [(1, "contradicts")]


def test_a_loop_of_which_the_text_tells_nothing_is_left_soon(monkeypatch):
    """The scripts of vendors work out processors in many lines, from files of the host."""
    walked = []

    def one_round(self, body, symbolic):
        walked.append(symbolic)
        self.walk(body)

    monkeypatch.setattr(rounds.Rounds, "one_round", one_round)
    text = "for i in $(grep eth0 /proc/interrupts | cut -d: -f1); do echo $({}) > /proc/irq/$i/smp_affinity_list; done"
    for number, command in ((112, "echo 3"), (5, "cat /run/processor")):
        guide_to_inventory(text.format(command), form="shell")
        assert (walked.count(False), walked.count(True)) == (number, 1)
        walked.clear()
