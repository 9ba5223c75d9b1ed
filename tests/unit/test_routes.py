# SPDX-License-Identifier: GPL-3.0-or-later
"""Metrics of routes: what the command finds and gives again, in a real shell whose `ip` answers from a file."""

from __future__ import annotations

import subprocess

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils.settings.routes import routes as family
from ansible_collections.linuxnet.tuning.plugins.module_utils.tools import routes

# What `ip` answers to a question, and notes of a change; nobody sleeps, but the routes come in the meantime.
STUBS = """
ip() { if [ "$4" = show ]; then cat "routes${5:+-$6}" 2> /dev/null; else echo "$@" >> changed; fi; }
sleep() { mv later-routes-default routes-default 2> /dev/null; }
"""


def run(folder, action, **found):
    """What is changed, where `ip` knows these routes by prefix."""
    for name, text in found.items():
        (folder / name.replace("later_", "later-").replace("routes_", "routes-")).write_text(text)
    argv = [*action.argv[:-1], STUBS + action.argv[-1]]
    done = subprocess.run(argv, cwd=folder, capture_output=True, text=True, check=False)
    changed = folder / "changed"
    return done.returncode, sorted(changed.read_text().splitlines()) if changed.exists() else done.stderr


@pytest.mark.parametrize(
    ("text", "metrics", "given"),
    [
        # captured: iproute2 6.1, routes over veth
        (
            "default via 10.0.0.1 dev v0 proto dhcp src 10.0.0.2 metric 100 linkdown mtu lock 1400 hoplimit 60 "
            "initcwnd 10 features ecn rto_min lock 1.5s congctl cubic \ndefault via 10.0.0.3 dev v0 metric 200 \n",
            {"initcwnd": 30, "quickack": True, "mtu": None},
            "default via 10.0.0.1 dev v0 proto dhcp src 10.0.0.2 metric 100 hoplimit 60 features ecn rto_min 1.5s "
            "congctl cubic initcwnd 30 quickack 1",
        ),
        (
            "default tos 0x10 via 10.0.0.1 dev v0 \ndefault via inet6 fd00::1 dev v0 onlink dead linkdown\n",
            {"rto_min": 50, "quickack": False, "mtu": "lock 1400"},
            "default via inet6 fd00::1 dev v0 onlink rto_min 50ms mtu lock 1400",
        ),
        (
            "default nhid 5 via 10.0.0.9 dev v0 metric 1 \n"
            "default dev v0 proto ra metric 1024 expires 1799sec pref medium\n"
            "default via 10.0.0.1 dev v1 \n"
            "default via 10.0.0.1 dev v0 metric 2048 pref high rt_offload offload_failed\n",
            {"advmss": 1300},
            "default via 10.0.0.1 dev v0 metric 2048 pref high advmss 1300",
        ),
        ("default via 10.0.0.1 dev v1 \ndefault via 10.0.0.2 dev v0 \n", {"initcwnd": 30}, ""),
        (
            "default \\\tnexthop via 10.0.0.1 dev v0 weight 1 \\\tnexthop via 10.0.0.4 dev v0 weight 1 \n",
            {"mtu": 1},
            "",
        ),
        ("unreachable default \ndefault via 10.0.0.2 dev v0 \n", {"initcwnd": 30}, ""),
        ("default via 10.0.0.2 dev v00 \n", {"initcwnd": 30}, ""),
        ("", {"initcwnd": 30}, ""),
    ],
)
def test_a_route_is_changed_in_its_metrics_alone_or_not_at_all(tmp_path, text, metrics, given):
    rc, changed = run(tmp_path, routes.change("v0", "default", metrics), routes_default=text)
    if given:
        assert (rc, changed) == (0, [f"-4 route change {given}"])
    else:
        assert rc
        assert "no such route" in changed
    # What is read is understood in the same way.
    route = routes.parse(text, "-4", "v0", ("default",)).get("default", routes.Route({}, "there is none"))
    assert bool(route.problem) is not bool(given)


def test_each_route_is_waited_for_by_itself(tmp_path):
    desired = {"default initcwnd": 30, "::1/128 quickack": True, "10.0.0.9/32 mtu": 1400}
    (action,) = family.boot("v0", desired, {})
    (tmp_path / "routes-10.0.0.9").touch()
    rc, changed = run(tmp_path, action, routes_default="", later_routes_default="default via 10.0.0.7 dev v0 \n")
    assert rc  # two are never there
    assert changed == ["-4 route change default via 10.0.0.7 dev v0 initcwnd 30"]


def test_of_a_long_table_only_what_matters_is_looked_at():
    text = "".join(f"10.{number}.0.0/16 via 10.0.0.1 dev v{number % 2} \n" for number in range(200))
    text += "10.1.0.0/16 dev v1 metric 9 mtu 1400 \n192.0.2.1 dev v1 rto_min lock 1.5s \n"
    found = routes.parse(text, "-4", "v1", ("192.0.2.1/32", "10.2.0.0/16"))
    assert found.pop("192.0.2.1/32") == routes.Route({"rto_min": 1500})
    assert list(found) == [f"10.{number}.0.0/16" for number in (1, 3, 5, 7, 9, 11, 13)]
    # For facts: the first route to a prefix counts, as for a call.
    found = routes.parse(text.replace(" dev v1", "").replace(" dev v0", ""), "-4")
    assert found == {"10.1.0.0/16": routes.Route({}), "192.0.2.1/32": routes.Route({"rto_min": 1500})}
