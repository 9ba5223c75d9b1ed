"""Unpacks a kernel, so that the guest need not: under software emulation that takes as long as half of the boot."""

from __future__ import annotations

import lzma
import struct
import zlib
from pathlib import Path

# The kernel's own boot protocol (Documentation/arch/x86/boot.rst) tells where the packed kernel lies.
SETUP_SECTORS = 0x1F1
PAYLOAD = 0x248
# QEMU enters an unpacked kernel by the address in this ELF note (name "Xen", type 18: PVH entry).
PVH_NOTE = struct.pack("<I", 18) + b"Xen\0"


def unpack(packed: Path, unpacked: Path) -> None:
    """Write the unpacked kernel; one that we cannot unpack or QEMU could not enter is taken as it is."""
    kernel = packed.read_bytes()
    elf = _payload(kernel)
    unpacked.write_bytes(elf if elf.startswith(b"\x7fELF") and PVH_NOTE in elf else kernel)


def _payload(kernel: bytes) -> bytes:
    offset, length = struct.unpack_from("<II", kernel, PAYLOAD)
    start = (kernel[SETUP_SECTORS] + 1) * 512 + offset
    payload = kernel[start : start + length]
    if payload.startswith(b"\xfd7zXZ"):
        return lzma.LZMADecompressor().decompress(payload)
    if payload.startswith(b"\x1f\x8b"):
        return zlib.decompressobj(wbits=31).decompress(payload)
    return b""
