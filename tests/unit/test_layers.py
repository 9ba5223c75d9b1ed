# SPDX-License-Identifier: GPL-3.0-or-later
"""What the variables of the inventory come to as options of `tune`."""

from __future__ import annotations

import re

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils import engine
from ansible_collections.linuxnet.tuning.plugins.plugin_utils import layers, spelling

PROFILES = {
    f"{layers.PROFILES}/low.yml": {"nics": [{"name": "a", "ring": {"rx": 1}}], "sysctl": {"x": 1, "y": 1}},
    f"{layers.PROFILES}/high.yml": {"sysctl": {"y": 2}},
    "/own/low.yml": {"nics": [{"name": "own"}]},
}
NOTHING = {"nics": [], "sysctl": {}, "module_parameters": {}}


def options(**variables):
    """The options of one host; some names stand for templates."""

    def template(value):
        known = {"{{ nics }}": [{"name": "t"}], "{{ none }}": None, "{{ omit }}": "__omit__"}
        # As older versions of Ansible, which leave nothing out by `omit` below a variable.
        known["{{ parts }}"] = [{"name": "t", "mtu": "__omit__", "ring": {"rx": "__omit__", "tx": 1}}, "__omit__"]
        known["{{ sysctl }}"] = {"x": "__omit__", "y": 1}
        return known.get(str(value), value)

    return layers.options({"omit": "__omit__", **variables}, template, PROFILES.__getitem__)


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, {}),
        ({"tuning_nics": None, "tuning_sysctl": ""}, {}),
        (
            {"tuning_host_nics": [{"name": "h"}], "tuning_nics": [{"name": "a"}], "tuning_group_nics": [{"name": "g"}]},
            {"nics": [{"name": "a"}, {"name": "g"}, {"name": "h"}]},
        ),
        ({"tuning_nics": "{{ nics }}", "tuning_group_nics": "{{ none }}"}, {"nics": [{"name": "t"}]}),
        # One entry that is no list is one entry; the module says so if it is none.
        ({"tuning_nics": {"name": "a"}}, {"nics": [{"name": "a"}]}),
        (
            {
                "tuning_sysctl": {"x": 1, "y": 1},
                "tuning_group_sysctl": {"y": 2, "z": 2},
                "tuning_host_sysctl": {"z": 3},
            },
            {"sysctl": {"x": 1, "y": 2, "z": 3}},
        ),
        # A variable of the role takes the place of all layers, but profiles stay below it.
        (
            {"tune_nics": [{"name": "r"}], "tuning_nics": [{"name": "a"}], "tuning_profile": "low"},
            {"nics": [{"name": "a", "ring": {"rx": 1}}, {"name": "r"}], "sysctl": {"x": 1, "y": 1}},
        ),
        (
            {"tuning_profile": ["low", "high"], "tuning_sysctl": {"x": 3}},
            {"nics": [{"name": "a", "ring": {"rx": 1}}], "sysctl": {"x": 3, "y": 2}},
        ),
        ({"tuning_profile": "low", "tune_profile": "high"}, {"sysctl": {"y": 2}}),
        ({"tune_profile": "low", "tune_profile_folder": "/own"}, {"nics": [{"name": "own"}]}),
        ({"tune_profile": []}, {}),
        ({"tuning_on_unsupported": "warn", "tune_on_unsupported": "ignore"}, {"on_unsupported": "ignore"}),
        ({"tuning_permanent": False, "tuning_immediate": True}, {"permanent": False, "immediate": True}),
        ({"tuning_temporary": "{{ omit }}", "tuning_guard_timeout": 0}, {"guard_timeout": 0}),
        ({"tuning_nics": "{{ parts }}"}, {"nics": [{"name": "t", "ring": {"tx": 1}}]}),
        ({"tuning_sysctl": "{{ sysctl }}"}, {"sysctl": {"y": 1}}),
        ({"tune_sysctl_file": "80.conf", "tuning_state": "restored"}, {"file": "80.conf", "state": "restored"}),
        # These are no variables of ours.
        ({"tuning_file": "x", "tuning_inventory": True, "tuning_host_permanent": False}, {}),
    ],
)
def test_variables_come_to_options(variables, expected):
    assert options(**variables) == {**NOTHING, **expected}


@pytest.mark.parametrize("value", ["net.core.somaxconn", [{"net.core.somaxconn": 1}]])
def test_parameters_that_are_no_dictionary_are_named(value):
    with pytest.raises(layers.LayerError, match=r"tuning_group_sysctl: .* is not valid; write a dictionary"):
        options(tuning_group_sysctl=value)


def test_a_profile_that_is_none_is_named(monkeypatch):
    monkeypatch.setitem(PROFILES, "/own/bad.yml", [])
    with pytest.raises(layers.LayerError, match=r"/own/bad.yml is not a dictionary"):
        options(tune_profile="bad", tune_profile_folder="/own")


def test_each_option_of_the_module_has_its_variable():
    taken = {*layers.PLAIN, "nics", "sysctl", "module_parameters", "file"}
    assert taken == set(engine.argument_spec("tune")) - {"inventory"}
    assert set(layers.NAMES) == taken - {"file"} | {"sysctl_file", "profile", "profile_folder"}


def test_peers_are_the_entries_that_name_addresses():
    entries = [{"name": "a", "path_check": ["10.0.0.1"]}, {"name": "b"}, {"match": {}, "path_check": ["10.0.0.2"]}, "c"]
    assert layers.peers({"nics": entries}) == entries[:1]


def test_a_profile_alone_is_the_profile_and_nothing_of_the_inventory():
    variables = {"tuning_sysctl": {"x": 9}, "tuning_profile": "low"}
    assert layers.profile(variables, lambda value: value, PROFILES.__getitem__, "high") == {
        "nics": [],
        "sysctl": {"y": 2},
        "module_parameters": {},
    }


@pytest.mark.parametrize(
    ("name", "end"), [("rooter", r"; did you mean 'router'\?$"), ("xyz", r"; choose one of aws_ena, .*, vpn_router$")]
)
def test_a_profile_that_does_not_exist_is_named_with_the_nearest_one(name, end):
    with pytest.raises(layers.LayerError, match=rf"^tuning_profile: there is no profile '{name}'{end}"):
        options(tuning_profile=name)


def test_a_profile_that_is_no_yaml_is_told_with_its_path(tmp_path):
    (tmp_path / "own.yml").write_text("")

    def load(_path):
        raise KeyError("no YAML")

    with pytest.raises(layers.LayerError, match=r"^tune_profile: \S+/own.yml cannot be read: 'no YAML'$"):
        layers.options({"tune_profile": "own", "tune_profile_folder": str(tmp_path)}, lambda one: one, load)


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"tuning_nics": "eth0"}, r"^tuning_nics: 'eth0' is not valid; write a list of entries"),
        ({"tuning_group_nics": ["eth0"]}, r"^tuning_group_nics: 'eth0' is not valid; write a list of entries"),
        ({"tuning_host_nics": {"eth0": {"mtu": 9000}}}, r"^tuning_host_nics is a dictionary; write a list of entries"),
        (
            {"tuning_host_nics": [{"name": "igb0", "mtu": None}]},
            r"^tuning_host_nics: igb0: mtu has no value; write one, or leave mtu out$",
        ),
        ({"tune_nics": [{"name": "igb0", "ring": {"rx": 1, "tx": None}}]}, r"^tune_nics: igb0: ring tx has no value"),
        ({"tuning_nics": [{"match": {"driver": None}, "mtu": 9000}]}, r"^tuning_nics: .*: match driver has no value"),
        (
            {"tuning_nics": [{"name": "igb0", "routes": {"default": {"initcwnd": None, "initrwnd": 20}}}]},
            r"^tuning_nics: igb0: routes default initcwnd has no value",
        ),
        ({"tuning_nics": [{"name": "igb0", "a": [{"b": None}]}]}, r"^tuning_nics: igb0: a b has no value"),
        ({"tuning_nics": [{"name": None, "mtu": 9000}]}, r"^tuning_nics: an entry: name has no value"),
        ({"tuning_profile": 5}, r"^tuning_profile: 5 is not valid; write the name of a profile"),
        ({"tuning_profile": [{"low": 1}]}, r"^tuning_profile: {'low': 1} is not valid"),
        ({"tuning_on_unsupported": "warning"}, r"^tuning_on_unsupported: 'warning' is .*; write fail, warn or ignore$"),
        ({"tune_on_unsupported": ["warn"]}, r"^tune_on_unsupported: \['warn'\] is not valid"),
        ({"tuning_permanent": "perhaps"}, r"^tuning_permanent: 'perhaps' is not valid; write true or false$"),
        ({"tuning_guard_timeout": "soon"}, r"^tuning_guard_timeout: 'soon' .*; write a whole number of seconds$"),
        ({"tuning_state": "gone"}, r"^tuning_state: 'gone' is not valid; write present or restored$"),
        ({"tuning_forget": {"eth0": 1}}, r"^tuning_forget: .* is not valid; write the names or patterns of NICs$"),
        ({"tuning_watch": "perhaps"}, r"^tuning_watch: 'perhaps' is not valid; write true or false$"),
        ({"tuning_probes": "knock 22"}, r"knock 22"),
        ({"tuning_probes": [{"host": "10.0.0.1"}, "knock 22"]}, r"knock 22"),
    ],
)
def test_a_value_of_the_wrong_kind_is_named_with_its_variable(variables, said):
    with pytest.raises(layers.LayerError, match=said):
        options(**variables)


@pytest.mark.parametrize(("name", "value"), [("permanent", "yes"), ("hold", 0), ("guard_timeout", "90")])
def test_what_a_module_takes_as_a_switch_or_a_number_is_right(name, value):
    assert options(**{f"tuning_{name}": value})[name] == value


def test_the_kinds_of_plain_options_are_those_of_the_module():
    spec = engine.argument_spec("tune")
    kinds = {"bool": bool, "int": int, "list": list}
    told = {name: tuple(spec[name].get("choices", ())) or kinds[spec[name]["type"]] for name in layers.PLAIN}
    assert told == layers.PLAIN


def test_only_what_may_hold_a_template_or_a_secret_is_given_to_ansible():
    secret, given = object(), []
    variables = {
        "tuning_sysctl": {"a": "1", "b": [1, 2.5, True]},
        "tuning_group_sysctl": {"net.{{ x }}": "1"},
        "tuning_host_sysctl": {"c": ["{% if y %}1{% endif %}"]},
        "tuning_nics": [{"name": "a", "path_check": secret}],
    }
    layers.options(variables, lambda value: given.append(value) or value, PROFILES.__getitem__)
    assert given == [variables["tuning_nics"], variables["tuning_group_sysctl"], variables["tuning_host_sysctl"]]


def test_a_template_that_fails_is_told_once_and_with_its_variable():
    def template(_value):
        raise ValueError("'jumbo' is undefined. 'jumbo' is undefined\nand where")

    with pytest.raises(layers.LayerError, match=r"^tuning_nics: 'jumbo' is undefined$"):
        layers.options({"tuning_nics": "{{ jumbo }}"}, template, PROFILES.__getitem__)


@pytest.mark.parametrize(
    ("variables", "near"),
    [
        ({"tuning_nic": []}, "tuning_nics"),
        ({"tuning_sysctls": {}}, "tuning_sysctl"),
        ({"tunning_nics": []}, "tuning_nics"),
        ({"tuning_profiles": "router"}, "tuning_profile"),
        ({"tune_profil": "router"}, "tune_profile"),
        ({"tuning_hosts_nics": []}, "tuning_host_nics"),
        # Somebody's own, which ours are made of.
        ({"tuning_nic": "eth0", "tuning_nics": [{"name": "{{ tuning_nic }}"}]}, ""),
        ({"tuning_room_of_servers": 1, "other_nics": 1, "tuning__first": 1, "tune_result": {}}, ""),
    ],
)
def test_a_variable_that_is_spelt_almost_like_ours_is_told(variables, near):
    assert [text.rpartition(" ")[2] for text in spelling.misspelt(variables)] == ([f"{near}?"] if near else [])


def test_no_variable_of_the_documentation_is_taken_for_a_misspelt_one():
    pages = "".join(path.read_text() for path in layers.PROFILES.parents[1].glob("docs/*.md"))
    names = set(re.findall(r"`((?:tuning|tune)_[a-z_]*[a-z])`", pages))
    assert len(names) > 20
    assert not spelling.misspelt(dict.fromkeys(names, ""))
    assert not names - spelling.KNOWN


def test_bonds_that_are_a_dictionary_are_told_by_the_name_of_the_inventory():
    with pytest.raises(layers.LayerError, match=r"^tuning_bonds is a dictionary; write a list of entries"):
        layers.bonds({"bond0": {"mode": "802.3ad"}})
    with pytest.raises(
        layers.LayerError, match=r"tuning_network_manager\): 'ifupdwn' is not valid.*did you mean 'ifupdown'"
    ):
        layers.bonds([], "ifupdwn", ("auto", "ifupdown"))
    layers.bonds([], "ifupdown", ("auto", "ifupdown"))
    for right in (None, [], [{"name": "bond0"}], {"name": "bond0", "members": ["eth0"]}):
        layers.bonds(right)
