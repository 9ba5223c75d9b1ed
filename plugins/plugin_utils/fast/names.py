# SPDX-License-Identifier: GPL-3.0-or-later
"""Stands in for the module typing on a host's bare interpreter, where the real one costs as much as the engine's work.

Nothing evaluates annotations there, so what they name can be anything. Abstract classes still know their instances, and
named tuples are tuples with names; tests/unit/test_bare.py holds both against the real ones.
"""

from __future__ import annotations

import _collections_abc
from _collections import _tuplegetter  # type: ignore[import-not-found]  # as collections does

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, Type, TypeVar

    Own = TypeVar("Own", bound="NamedTuple")


class Name:
    """What an annotation or an alias names."""

    def __init__(self, abstract: Any) -> None:
        self.abstract = abstract

    def __getitem__(self, parameters: Any) -> Name:
        return self

    def __instancecheck__(self, value: Any) -> bool:
        return isinstance(value, self.abstract)


def __getattr__(name: str) -> Name:
    if name.startswith("__"):
        raise AttributeError(name)
    return Name(getattr(_collections_abc, name, None))


class Protocol:
    """What a class has that fits; only type checkers look."""


MISSING = object()


class Fields(type):
    """Makes the class of a named tuple from its annotations. typing and collections compile code for each of them."""

    def __new__(cls, name: str, bases: Any, space: Dict[str, Any]) -> Any:
        fields = tuple(space.get("__annotations__", ()))
        defaults = {field: space.pop(field) for field in fields if field in space}
        space.update({field: _tuplegetter(index, "") for index, field in enumerate(fields)})
        space.update(__slots__=(), _fields=fields, _field_defaults=defaults)
        space["_positions"] = {field: index for index, field in enumerate(fields)}
        space["_values"] = tuple([defaults.get(field, MISSING) for field in fields])
        return super().__new__(cls, name, bases, space)


class NamedTuple(tuple, metaclass=Fields):  # type: ignore[type-arg]  # Python 3.8 has none
    """As much of typing.NamedTuple as the engine uses."""

    if TYPE_CHECKING:
        _fields: Any
        _field_defaults: Any
        _positions: Any
        _values: Any

    def __new__(cls: Type[Own], *values: Any, **named: Any) -> Own:
        count = len(values)
        if named or count != len(cls._fields):
            whole = [*values, *cls._values[count:]]
            positions = cls._positions
            for field, value in named.items():
                if positions.get(field, -1) < count:
                    whole.append(MISSING)
                    break
                whole[positions[field]] = value
            if MISSING in whole or len(whole) != len(cls._fields):
                raise TypeError(f"{cls.__name__} takes {cls._fields}, not {values} and {named}")
            return super().__new__(cls, whole)
        return super().__new__(cls, values)

    def _asdict(self) -> Dict[str, Any]:
        return dict(zip(self._fields, self))

    def _replace(self: Own, **named: Any) -> Own:
        whole = tuple.__new__(type(self), map(named.pop, self._fields, self))
        if named:
            raise TypeError(f"{type(self).__name__} has {self._fields}, and not {list(named)}")
        return whole

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self._asdict().items())})"
