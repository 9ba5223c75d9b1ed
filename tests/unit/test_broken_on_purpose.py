# SPDX-License-Identifier: GPL-3.0-or-later
"""The random sequences see each invariant broken: in every case here one place of the way back is wrong on purpose."""

from __future__ import annotations

import pytest

from ansible_collections.linuxnet.tuning.plugins.module_utils.carrying_out import conclude
from ansible_collections.linuxnet.tuning.plugins.module_utils.going_back import clocks, guard, memory, stack
from ansible_collections.linuxnet.tuning.tests.unit.sabotage import sees
from ansible_collections.linuxnet.tuning.tests.unit.test_sequences import play, sequences

KEEP = memory.keep

# What is replaced, and by what.
BROKEN = {
    "no original is noted": (memory, "keep", lambda _host, _originals: ""),
    "the last value is taken for the original": (
        memory,
        "keep",
        lambda host, originals: memory.forget(host, originals) or KEEP(host, originals),
    ),
    "an original is forgotten before its return is confirmed": (conclude.guard, "back", lambda *_arguments: False),
    "a confirmation changes nothing": (stack, "confirm", lambda layers, _numbers: list(layers)),
    "a confirmation makes temporary changes permanent": (
        stack,
        "confirm",
        lambda layers, numbers: [layer for layer in layers if layer.number not in numbers],
    ),
    "a permanent value ends no temporary one": (stack, "without", lambda layers, _keys: list(layers)),
    "no clock is started": (clocks, "start", lambda *_arguments: []),
}
# What is replaced in the script, and by what.
LINES = {
    "a layer above brings back what was taken away": ("$7 = below[$5]; $8 = command[$5]; $9 = words[$5]\n", ""),
    "a layer in the middle is set back": ('if ($4 == "held") delete layer[$5]\n', ""),
    "a temporary change goes before its time": ("'$4 ? $4 <= now : !$3'", "'$4 || !$3'"),
    "files of what nobody confirmed stay over a boot": ('take "$(choose 1)"', 'take "$(choose 0)"'),
    "nothing is set back": ('eval "$line" < /dev/null || bad=1\n', ":\n"),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_a_wrong_place_is_seen(broken, monkeypatch):
    monkeypatch.setattr(*BROKEN[broken])
    sees(sequences, play)


@pytest.mark.parametrize("broken", LINES)
def test_a_wrong_line_of_the_script_is_seen(broken, monkeypatch):
    right, wrong = LINES[broken]
    assert right in guard.RUN_TEXT
    monkeypatch.setattr(guard, "RUN_TEXT", guard.RUN_TEXT.replace(right, wrong))
    sees(sequences, play)
