# SPDX-License-Identifier: GPL-3.0-or-later
"""Report: what a person or the next task reads of a call."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Sequence

from ..family import HOST, NIC, Family
from ..schema import MORE, UNTOLD, Address, Adjusted, Cell, Cells, Change, Plan, Unsupported, Value, say


class Outcome(NamedTuple):
    """Everything that one call found, did and could not do; made once, at its end."""

    families: Mapping[str, Family]
    requested: Sequence[Address]
    before: Cells
    after: Cells
    plan: Plan
    rivals: Sequence[Mapping[str, str]]
    adjusted: Sequence[Adjusted]
    commands: Sequence[str]
    side_effects: Sequence[Change]
    failure: str
    reverted: str
    guard: int
    remarks: Sequence[str]
    computed: Mapping[Address, str]
    counters: Mapping[str, Mapping[str, int]]

    def result(self, on_unsupported: str) -> Dict[str, Any]:
        """The dictionary that the module returns, with the warnings still in it."""
        changed = [change.address for change in self.plan.changes]
        result: Dict[str, Any] = {
            # An earlier change that waits to be confirmed is work to do for the handler that confirms.
            "changed": bool(changed or self.guard) and not self.failure,
            "before": self._state(self.before),
            "after": self._state(self.after),
            "commands": list(self.commands),
            "unsupported": [_unsupported(item) for item in self.plan.unsupported],
            "adjusted": [_adjusted(item) for item in self.adjusted],
            "negotiated": self._negotiated(),
            "side_effects": [_side_effect(item) for item in self.side_effects],
            "diff": {
                "before": self._tree(changed, self.before),
                "after": self._tree(changed, self.after),
            },
            "remarks": [*dict.fromkeys(self._sentence(row) for row in self._negotiated()), *self.remarks],
            "warnings": self._warnings(on_unsupported),
        }
        if any(family.rivals for family in self.families.values()):
            result["overridden"] = [dict(rival) for rival in self.rivals]
        if self.computed:
            result["computed"] = [
                {**_where(address), "value": self.plan.planned.get(address), "how": how}
                for address, how in sorted(self.computed.items())
                if address in self.plan.planned
            ]
        if self.counters:
            result["counters"] = {nic: dict(counted) for nic, counted in self.counters.items()}
        if self.guard:
            result["guard"] = self.guard
        if self.reverted:
            result["reverted"] = self.reverted
        if self.failure:
            result.update(failed=True, msg=self.failure)
        return result

    def _state(self, cells: Cells) -> Dict[str, Any]:
        """What was requested, in the shape of the input: by NIC and family, by key, or both under the options."""
        # A key that is a path holds a whole file, which the diff shows.
        tree = self._tree([address for address in self.requested if not address.key.startswith("/")], cells)
        named = [family for family in self.families.values() if family.named and not family.follows]
        options = list(dict.fromkeys(family.option for family in named))
        shape = {option: tree.get(option, {}) for option in options}
        return shape if len(options) > 1 else shape[options[0]]

    def _tree(self, addresses: Iterable[Address], cells: Cells) -> Dict[str, Any]:
        """Cells by option, or file, down to the key; a line that is not in a file has no value to show."""
        tree: Dict[str, Any] = {}
        for address in sorted(addresses):
            if address in cells and cells[address].value is not None:
                family = self.families[address.family]
                path = [address.scope or family.name] if family.scope == HOST else [family.option, address.scope]
                path += [family.name] * (family.scope == NIC and not family.flat)
                branch = tree
                for name in path:
                    branch = branch.setdefault(name, {})
                value = cells[address].decided
                branch[address.key] = list(value) if isinstance(value, tuple) else value
        return tree

    def _negotiated(self) -> List[Dict[str, Any]]:
        """Where this host has what was requested, and the other end of the link does not agree: by NIC and family."""
        rows: Dict[Sequence[str], Dict[str, Any]] = {}
        # A command for one key of a group asks the other end anew about all of them.
        changed = {change.address[:2] for change in self.plan.changes}
        for address, planned in sorted(() if self.failure else self.plan.planned.items()):
            cell = self.after.get(address, Cell(None))
            if cell.partner in (UNTOLD, MORE) and address[:2] not in changed:
                continue
            # Where the request is hidden, what is in force as it is desired is no disagreement.
            agreed = cell.unseen and planned == cell.value
            if self.families[address.family].partners.get(cell.partner) and planned == cell.decided and not agreed:
                row = {"nic": address.scope, "family": address.family, "partner": cell.partner, "settings": []}
                rows.setdefault((*address[:2], cell.partner), row)["settings"].append(address.key)
        return list(rows.values())

    def _sentence(self, row: Mapping[str, Any]) -> str:
        return self.families[row["family"]].partners[row["partner"]]

    def _disagreements(self) -> List[str]:
        """The same as sentences, which name the NIC only where another one is in agreement: a fleet hears one."""
        rows = self._negotiated()
        groups = {address[:2] for address in self.plan.planned if self.families[address.family].partners}
        every = len({(row["family"], row["nic"]) for row in rows}) == len(groups)
        said = [self._sentence(row) if every else f"{row['nic']}: {self._sentence(row)}" for row in rows]
        return list(dict.fromkeys(said))

    def _warnings(self, on_unsupported: str) -> List[str]:
        said = [] if on_unsupported == "ignore" else list(dict.fromkeys(map(cannot, self.plan.unsupported)))
        said = [sentence for sentence in said if sentence not in self.failure]  # which is read first
        notes = [(item.address.scope or item.address.key, self.before[item.address].note) for item in self.plan.changes]
        said += [f"{scope}: {note}" for scope, note in dict.fromkeys(notes) if note]
        said += self._disagreements()
        said += self.remarks
        if self.reverted:
            said.append(f"The last change of this host failed: {self.reverted}")
        return said + [
            f"{rival['file']} sets {rival['key']} to {rival['value']} at the next boot, after this host's own file"
            for rival in self.rivals
        ]


def in_words(families: Mapping[str, Family], plan: Plan, after: Cells) -> Cells:
    """The cells as a change was requested, where the device tells more: check mode cannot know that."""
    wordy = [change for change in plan.changes if families[change.address.family].wordy and change.address in after]
    return {**after, **{change.address: after[change.address]._replace(value=change.after) for change in wordy}}


def _unsupported(item: Unsupported) -> Dict[str, Any]:
    return {**_where(item.address), "asked": str(item.desired), "reason": item.reason}


def _adjusted(item: Adjusted) -> Dict[str, Any]:
    return {**_where(item.address), "asked": item.requested, "value": item.value}


def _side_effect(item: Change) -> Dict[str, Any]:
    return {**_where(item.address), "before": item.before, "after": item.after}


def _where(address: Address) -> Dict[str, str]:
    return {"nic": address.scope, "family": address.family, "key": address.key}


def not_back(item: Unsupported) -> Unsupported:
    """An original that cannot be set back, with what becomes of it."""
    return item._replace(reason=f"that original value cannot be restored now, and remains saved: {item.reason}")


def not_there(noted: Mapping[str, int]) -> str:
    """What becomes of the originals of NICs that are gone, in one sentence however many there are."""
    nics, count = tuple(noted), sum(noted.values())
    what = "1 original that cannot be set back now, and stays noted"
    what = what if count == 1 else f"{count} originals that cannot be set back now, and stay noted"
    return (
        f"{say(nics)} {'are' if len(nics) > 1 else 'is'} not there, and {'have' if len(nics) > 1 else 'has'} {what}. "
        f"If one is gone for good, run rollback with -e tuning_forget={nics[0]}"
    )


def cannot(item: Unsupported) -> str:
    """One desired value that cannot be fulfilled, as a sentence without its full stop."""
    if not item.address.key:
        return item.reason
    return f"{item.address}: desired {item.desired}, but {item.reason}"


def refusal(items: Sequence[Unsupported], state: str = "Nothing was changed.") -> str:
    """Why nothing was done at all, or nothing has stayed."""
    told = "; ".join(cannot(item) for item in items)
    return (
        f"{told}{'' if told.endswith('?') else '.'} {state} "
        "Correct this, take it out of the inventory for this host, or set on_unsupported (in the inventory "
        "tuning_on_unsupported) to warn."
    )


class Mismatch:
    """One value that the device did not take; `again` if its commands have been told of already."""

    def __init__(self, change: Change, answer: Value, commands: Sequence[str], complaint: str) -> None:
        self.change = change
        self.answer = answer
        self.commands = commands
        self.complaint = complaint
        self.notes: Sequence[str] = ()
        self.again = False

    def __str__(self) -> str:
        if not self.commands:
            return f"{self.change.address}: another change has affected it: desired {say(self.change.after)}."
        done = " and ".join(f"`{command}`" for command in self.commands[:3])
        done += f" and {len(self.commands) - 3} more commands" if len(self.commands) > 3 else ""
        said = f"{done} said: {self.complaint}" if self.complaint else f"although {done} succeeded"
        said = "" if self.again else ("; " if self.complaint else ", ") + said
        desired, answer = _brief(self.change.after), _brief(self.answer)
        text = f"{self.change.address}: desired {desired}, but the device reports {answer}{said}."
        if self.change.address.key.startswith("/") and self.complaint:
            # A whole file that was not written: both texts are as long as each other, and no device has a say in it.
            text = f"{self.change.address.key} was not changed: {done} said: {self.complaint}."
        return " ".join([text, *(note for note in self.notes if note)])


def _brief(value: Value) -> str:
    text = say(value) or "nothing"
    return f"a text of {len(text.splitlines())} lines" if "\n" in text else text


PUT_BACK = "All changes of this call were rolled back."


def failure(mismatches: Sequence[str], undone: int, leftover: Sequence[str]) -> str:
    """What was asked, what the device said, and in what state the host is now."""
    if leftover:
        state = f"{', '.join(leftover)} could not be rolled back; everything else is as it was."
    else:
        state = PUT_BACK if undone else "No change had taken effect yet."
    return " ".join([*mismatches, state])
