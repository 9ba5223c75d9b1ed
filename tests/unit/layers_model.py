# SPDX-License-Identifier: GPL-3.0-or-later
"""The model that says what is right: a stack for each key, for the host in memory and for the lab.

It is no host: it knows nothing of commands, files and the code under test, which is what makes it a judge of these.
"""

from __future__ import annotations


class Change:
    """A layer of the model. Those that are not confirmed have `waits`, those that are temporary an `end`."""

    def __init__(self, values, waits=False, end=0, files=None):
        self.values, self.waits, self.end, self.files = dict(values), waits, end, files or {}


class Model:
    """What each key has to be, whatever the order of events; nobody confirms within `timeout` seconds."""

    def __init__(self, original, timeout):
        self.original, self.timeout = original, timeout
        self.kept, self.files, self.layers, self.deadline = dict(original), {}, [], 0

    def now(self):
        return {**self.kept, **{key: value for layer in self.layers for key, value in layer.values.items()}}

    def boots_with(self):
        return {**self.original, **{key: value for values in self.files.values() for key, value in values.items()}}

    def put(self, change, guarded, now):
        change.waits = guarded or any(layer.waits for layer in self.layers)
        self.deadline = now + self.timeout if guarded else self.deadline
        self.layers.append(change)
        if not change.waits:
            self.settle(change)

    def settle(self, change):
        change.waits = False
        if change.end:
            return
        below = self.layers[: self.layers.index(change)]
        for layer in below:
            layer.values = {key: value for key, value in layer.values.items() if key not in change.values}
        self.layers.remove(change)
        self.kept.update(change.values)
        self.files.update(change.files)

    def confirm(self):
        for layer in [layer for layer in self.layers if layer.waits]:
            self.settle(layer)

    def passes(self, now):
        if self.deadline <= now:
            self.layers = [layer for layer in self.layers if not layer.waits]
        self.layers = [layer for layer in self.layers if not layer.end or layer.end > now]

    def boots(self):
        self.layers, self.kept = [], self.boots_with()
