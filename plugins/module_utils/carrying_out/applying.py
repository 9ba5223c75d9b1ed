# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the set commands of a call, group by group, and read what came of them."""

from __future__ import annotations

from typing import Callable, Dict, Iterable, List, Mapping, Sequence, Set, Tuple

from ..deciding import plan
from ..family import NIC, Family
from ..host import Host
from ..schema import Action, Address, Cell, Cells, Save, TuningError, Value, plain
from ..tools import sysfs

Group = Tuple[str, str]
Read = Callable[[Sequence[Address]], Cells]

# A link that a driver takes down for a change is back within this time, autonegotiation of 10GBASE-T included.
LINK_SECONDS = 15

# A value may be applied within this time although its command failed: NetworkManager also activates members by itself.
REFUSED_SECONDS = 3


class Applying:
    """What was there `before` and what is there `now`; the `commands` so far, and what each group's last ones `said`.

    `read` gives the cells of addresses anew. `lost` are the NICs whose link did not come back, `hidden` the groups that
    the last `see` could not read.
    """

    def __init__(self, host: Host, families: Mapping[str, Family], before: Cells, read: Read) -> None:
        self.host = host
        self.families = families
        self.before = before
        self.read = read
        self.now: Cells = {}
        self._fresh: Dict[Group, Dict[Address, Cell]] = {}
        self.commands: List[str] = []
        self.said: Dict[Group, List[Tuple[Sequence[str], str]]] = {}
        self.lost: List[str] = []
        self.hidden: Set[Group] = set()

    def look(self, addresses: Sequence[Address]) -> Cells:
        """Read anew; what a command has to do depends on what is there by then."""
        cells = self.read(addresses)
        self.now.update(cells)
        self._fresh.update({group: {} for group in {address[:2] for address in cells}})
        for address, cell in cells.items():
            self._fresh[address[:2]][address] = cell
        return cells

    def seen(self, addresses: Sequence[Address]) -> Cells:
        """The same, but without another look at groups that were read since the last change of what is in force."""
        old = {address[:2] for address in addresses if address not in self._fresh.get(address[:2], ())}
        new = {address[:2] for address in addresses} - old
        known = {address: cell for group in new for address, cell in self._fresh[group].items()}
        return {**known, **self.look([address for address in addresses if address[:2] in old])}

    def see(self, addresses: Iterable[Address]) -> Cells:
        """As much as can be read: what hangs, which mostly does so on the way back too, must not hold up the rest."""
        groups: Dict[Group, List[Address]] = {}
        for address in addresses:
            groups.setdefault(address[:2], []).append(address)
        self.hidden = set()
        cells: Cells = {}
        for group, own in groups.items():
            try:
                cells.update(self.look(own))
            except TuningError:
                self.hidden.add(group)
        return cells

    def do(self, group: Group, values: Mapping[str, Value]) -> str:
        """Set these values of a group, and wait for what settles later; what its commands have complained of."""
        family, scope = group
        cells = plan.keys(self.cells(group), family, scope)
        complaints = []
        actions: Sequence[Action] = self.families[family].write(scope, values, cells)
        if not self.families[family].follows:  # files for the next boot change nothing now
            self._fresh.clear()
        linked = self.families[family].scope == NIC and sysfs.carrier(self.host, scope)
        for action in actions:
            self.commands += plain(action)
            complaints.append(self.host.do(action))
        patience = self.families[family].patience
        if patience:
            # A manager works in the background, and its command may end before it has done all; so does a driver that
            # negotiates.
            failed = bool(complaints and complaints[-1])
            seconds = min(patience, REFUSED_SECONDS) if failed else patience
            self.host.wait_until(lambda: self._is(group, values), seconds)
        # Drivers decide on pause frames anew when the link comes back, so what is read before that is not final.
        if linked and not self._link_is_back(scope):
            self.lost.append(scope)
        said: List[Tuple[Sequence[str], str]] = [
            (plain(action), complaint) for action, complaint in zip(actions, complaints)
        ]
        # What is made of files is what counts, not that they were written.
        written = [isinstance(action, Save) and not complaint for action, complaint in zip(actions, complaints)]
        self.said[group] = [pair for pair, plainly in zip(said, written) if not plainly] or said
        return "; ".join(filter(None, complaints))

    def cells(self, group: Group) -> Cells:
        """The cells of a group; read anew where words have a meaning that earlier steps change, as channels do."""
        cells = {address: cell for address, cell in {**self.before, **self.now}.items() if address[:2] == group}
        return {**cells, **self.look(list(cells))} if any(cell.means for cell in cells.values()) else cells

    def touched(self, tried: Set[Address]) -> Set[Group]:
        """What a change may have touched: the groups that were written, and neighbours such as the ports of a bond."""
        near = {name for name, _scope in {address[:2] for address in tried} if self.families[name].neighbours}
        return {address[:2] for address in self.before if address in tried or address.family in near}

    def _is(self, group: Group, values: Mapping[str, Value]) -> bool:
        # All of the group, for keys are read by others: the addresses of a bond are those that its files name.
        answers = self.read([address for address in {**self.before, **self.now} if address[:2] == group])
        cells = [(answers.get(Address(*group, key), Cell(None)), value) for key, value in values.items()]
        return all(cell.value == value or cell.unseen for cell, value in cells)

    def _link_is_back(self, scope: str) -> bool:
        """A NIC that has vanished is told of by the next read, not by its lost link."""
        if not sysfs.present(self.host, scope):
            return True
        return self.host.wait_for(sysfs.carrier_path(scope), "1", LINK_SECONDS)
