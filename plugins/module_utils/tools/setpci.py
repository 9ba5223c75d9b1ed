# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak setpci: fields of registers in a PCI capability, found by its name and never by a fixed offset."""

from __future__ import annotations

import re
from typing import NamedTuple, Tuple, Union

from ..schema import Query, Reader, Run


class Register(NamedTuple):
    """A field of some bits in a 16-bit register that holds a size as a power of two: `smallest` bytes and up."""

    place: str
    shift: int
    bits: int
    smallest: int

    @property
    def mask(self) -> int:
        """The bits of the field, in place."""
        return (1 << self.bits) - 1 << self.shift


# Device Control of the PCI Express capability, and the command register of the PCI-X one.
MAX_READ_REQUEST = Register("CAP_EXP+8.w", shift=12, bits=3, smallest=128)
MAX_MEMORY_READ = Register("CAP_PCIX+2.w", shift=2, bits=2, smallest=512)


def read(host: Reader, device: str, register: Register) -> Union[int, str]:
    """The size in bytes, or what setpci complained of: a device without the capability has no such register."""
    answer = host.ask(Query(("setpci", "-s", device, register.place)))
    word = answer.out.strip()
    if answer.rc or not re.fullmatch(r"[0-9a-fA-F]{4}", word):
        return str(answer.complaint)
    return register.smallest << ((int(word, 16) & register.mask) >> register.shift)


def write(device: str, sizes: Tuple[Tuple[Register, int], ...]) -> Run:
    """Set the fields in one call; the mask keeps all other bits of the registers."""
    words = []
    for register, size in sizes:
        field = (size // register.smallest).bit_length() - 1 << register.shift
        words.append(f"{register.place}={field:04x}:{register.mask:04x}")
    return Run(("setpci", "-s", device, *words))
