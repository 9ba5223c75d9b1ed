# SPDX-License-Identifier: GPL-3.0-or-later
"""Speak setpci: fields of registers in a PCI capability, found by its name and never by a fixed offset."""

from __future__ import annotations

import re
from typing import NamedTuple, Tuple, Union

from ..schema import Query, Reader, Run


class Register(NamedTuple):
    """A field of some bits in a 16-bit register: a size as a power of two, `smallest` bytes and up, or a switch."""

    position: str
    shift: int
    bits: int = 1
    smallest: int = 0

    @property
    def mask(self) -> int:
        """The bits of the field, in place."""
        return (1 << self.bits) - 1 << self.shift

    def value(self, word: int) -> Union[bool, int]:
        """What the register holds: bytes, or the position of the switch."""
        code = (word & self.mask) >> self.shift
        return self.smallest << code if self.smallest else bool(code)

    def word(self, value: Union[bool, int]) -> int:
        """The other way round."""
        code = (value // self.smallest).bit_length() - 1 if self.smallest else int(value)
        return code << self.shift


# Device Control of the PCI Express capability (the kernel's PCI_EXP_DEVCTL_*), and the command register of PCI-X.
MAX_READ_REQUEST = Register("CAP_EXP+8.w", shift=12, bits=3, smallest=128)
RELAXED_ORDERING = Register("CAP_EXP+8.w", shift=4)
EXTENDED_TAGS = Register("CAP_EXP+8.w", shift=8)
NO_SNOOP = Register("CAP_EXP+8.w", shift=11)
MAX_MEMORY_READ = Register("CAP_PCIX+2.w", shift=2, bits=2, smallest=512)


def read(host: Reader, device: str, position: str) -> Union[int, str]:
    """A register, or what setpci complained of: a device without the capability has no such register."""
    answer = host.ask(Query(("setpci", "-s", device, position)))
    word = answer.out.strip()
    if answer.rc or not re.fullmatch(r"[0-9a-fA-F]{4}", word):
        return str(answer.complaint)
    return int(word, 16)


def write(device: str, values: Tuple[Tuple[Register, Union[bool, int]], ...]) -> Run:
    """Set the fields in one call; the mask keeps all other bits of the registers."""
    words = [f"{register.position}={register.word(value):04x}:{register.mask:04x}" for register, value in values]
    return Run(("setpci", "-s", device, *words))
