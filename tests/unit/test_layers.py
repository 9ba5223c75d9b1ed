# SPDX-License-Identifier: GPL-3.0-or-later
"""What the variables of the inventory come to as options of `tune`."""

from __future__ import annotations

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils import engine
from ansible_collections.linuxnet.tuning.plugins.plugin_utils import layers

PROFILES = {
    f"{layers.PROFILES}/low.yml": {"nics": [{"name": "a", "ring": {"rx": 1}}], "sysctl": {"x": 1, "y": 1}},
    f"{layers.PROFILES}/high.yml": {"sysctl": {"y": 2}},
    "/own/low.yml": {"nics": [{"name": "own"}]},
}
NOTHING = {"nics": [], "sysctl": {}, "module_parameters": {}}


def options(**variables):
    """The options of one host; a word in angle brackets stands for a template."""

    def template(value):
        return {"<nics>": [{"name": "t"}], "<none>": None, "<omit>": "__omit__"}.get(str(value), value)

    return layers.options({"omit": "__omit__", **variables}, template, PROFILES.__getitem__)


@pytest.mark.parametrize(
    ("variables", "wanted"),
    [
        ({}, {}),
        ({"tuning_nics": None, "tuning_sysctl": ""}, {}),
        (
            {"tuning_host_nics": [{"name": "h"}], "tuning_nics": [{"name": "a"}], "tuning_group_nics": [{"name": "g"}]},
            {"nics": [{"name": "a"}, {"name": "g"}, {"name": "h"}]},
        ),
        ({"tuning_nics": "<nics>", "tuning_group_nics": "<none>"}, {"nics": [{"name": "t"}]}),
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
        ({"tuning_temporary": "<omit>", "tuning_guard_timeout": 0}, {"guard_timeout": 0}),
        ({"tune_sysctl_file": "80.conf", "tuning_state": "restored"}, {"file": "80.conf", "state": "restored"}),
        # These are no variables of ours.
        ({"tuning_file": "x", "tuning_inventory": True, "tuning_host_permanent": False}, {}),
    ],
)
def test_variables_come_to_options(variables, wanted):
    assert options(**variables) == {**NOTHING, **wanted}


@pytest.mark.parametrize("value", ["net.core.somaxconn", [{"net.core.somaxconn": 1}]])
def test_parameters_that_are_no_dictionary_are_named(value):
    with pytest.raises(layers.LayerError, match=r"tuning_group_sysctl is .*; write a dictionary"):
        options(tuning_group_sysctl=value)


def test_a_profile_that_is_none_is_named(monkeypatch):
    monkeypatch.setitem(PROFILES, "/own/bad.yml", [])
    with pytest.raises(layers.LayerError, match=r"/own/bad.yml is no dictionary"):
        options(tune_profile="bad", tune_profile_folder="/own")


def test_each_option_of_the_module_has_its_variable():
    asked = {*layers.PLAIN, "nics", "sysctl", "module_parameters", "file"}
    assert asked == set(engine.argument_spec("tune")) - {"inventory"}
    assert set(layers.NAMES) == asked - {"file"} | {"sysctl_file", "profile", "profile_folder"}


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
    ("name", "end"), [("rooter", r"; did you mean 'router'\?$"), ("xyz", r"; there is aws_ena, .*, vpn_router$")]
)
def test_a_profile_that_does_not_exist_is_named_with_the_nearest_one(name, end):
    with pytest.raises(layers.LayerError, match=rf"^tuning_profile: there is no profile '{name}' in \S+profiles{end}"):
        options(tuning_profile=name)


def test_a_profile_that_is_no_yaml_is_told_with_its_path(tmp_path):
    (tmp_path / "own.yml").write_text("")

    def load(_path):
        raise KeyError("no YAML")

    with pytest.raises(layers.LayerError, match=r"^tune_profile: \S+/own.yml cannot be read: 'no YAML'$"):
        layers.options({"tune_profile": "own", "tune_profile_folder": str(tmp_path)}, lambda one: one, load)
