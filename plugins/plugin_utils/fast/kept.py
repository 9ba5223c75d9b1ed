# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the engine on a host's bare interpreter, from code that is kept there: compiled, or its sources.

The interpreter compiles this text with each call, so it is short. `main` prints one JSON object that says why the code
is missing and for which Python, which asks for it; or `started`, and then the result of the module. Where the
connection is lost, Ansible knows what was said on standard error only, so `started` stands there too.
"""

from __future__ import annotations

import _sre  # type: ignore[import-not-found]  # as re does
import gc
import os
import stat
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER
from marshal import dumps, loads

try:
    from _blake2 import blake2b  # hashlib would load OpenSSL first
except ImportError:
    from hashlib import blake2b

TYPE_CHECKING = False  # the module typing costs more than all that is here
if TYPE_CHECKING:
    from typing import Any, Callable, Optional

FOLDER_OF_ROOT = "/var/cache/linuxnet-tuning"
# After how many new objects garbage is looked for. By default there is none to be found in most of a call that is this
# short, and each search takes time; one that reads thousands of NICs makes this many.
OBJECTS = 100000
VERSIONS = 4
FILES = 2 * VERSIONS
# What the engine's regular expressions come to, for the machine that matches them.
PATTERNS = "-re" + str(_sre.MAGIC)


def owned(path: str, flags: int, kind: Callable[[int], bool], folder: Optional[int] = None) -> int:
    """Open what belongs to this user, is no link, and cannot be written by others: they could put their code there."""
    handle = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    found = os.fstat(handle)
    if not kind(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
        raise OSError(1, path + " is not ours, or others can write to it")
    return handle


def open_folder(path: str) -> int:
    """Open the folder of the code."""
    return owned(path, os.O_RDONLY | os.O_DIRECTORY, stat.S_ISDIR)


def digest(name: str, code: Any) -> bytes:
    """The hash that stands in front of the code; bound to its name, so that no version passes for another one."""
    return blake2b(code, digest_size=32, key=name.encode()).digest()


def load(folder: str, name: str) -> Any:
    """The code as it was kept; OSError says why it is not run."""
    with open(owned(name, os.O_RDONLY, stat.S_ISREG, open_folder(folder)), "rb") as file:
        content = memoryview(file.read())
    if digest(name, content[32:]) != content[:32]:
        raise OSError(5, name + " is damaged")
    return content[32:]


def expressions(folder: str, name: str) -> Any:
    """What the regular expressions came to that earlier calls have used."""
    try:
        return loads(load(folder, name + PATTERNS))
    except OSError:  # none yet, or not as they were left
        return {}


def keep(folder: str, name: str, code: bytes, *, beside: str = "") -> None:
    """Put the code where the next call finds it: as a whole or not at all, and for nobody else to write.

    What it is kept `beside`, such as its own first form, has to be there still: the call itself may have removed it, as
    a rollback does.
    """
    if not beside:
        mask = os.umask(0o077)
        os.makedirs(folder, exist_ok=True)
        os.umask(mask)
    inside = open_folder(folder)
    if beside:
        os.stat(beside, dir_fd=inside, follow_symlinks=False)
    draft = "." + name + "." + os.urandom(8).hex()
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=inside)
    try:
        with open(handle, "wb") as file:
            file.write(digest(name, code) + code)
        os.rename(draft, name, src_dir_fd=inside, dst_dir_fd=inside)
    except OSError:
        os.unlink(draft, dir_fd=inside)
        raise
    # Other controllers may have other versions; what none has sent for long goes.
    age = {entry.name: entry.stat(follow_symlinks=False).st_mtime for entry in os.scandir(inside)}
    for old in sorted(age, key=age.__getitem__)[:-FILES]:
        os.unlink(old, dir_fd=inside)


class Later(type(sys)):  # type: ignore[misc]  # as types calls ModuleType
    """A module that runs when somebody first looks into it: a call needs some of what files import at their top."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)  # the import looks for such names
        self.__class__ = type(sys)  # type: ignore[assignment]
        exec(self.__loader__.code(self.__name__), self.__dict__)
        return getattr(self, name)


class Finder:
    """Finds modules in what is kept, and compiles those that no call has used before."""

    def __init__(self, kept: Any, sources: Any = None, patterns: Any = None) -> None:
        self.packed, self.paths, self.compiled = loads(kept)
        self.sources = sources
        self.patterns = patterns or {}  # for the stand-in of re
        self.known = len(self.patterns)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        own: Any = self
        found = self.paths.get(name)
        return ModuleSpec(name, own, is_package=found.endswith("/__init__.py")) if found else None

    def create_module(self, spec: Any) -> Any:
        return Later(spec.name)

    def exec_module(self, module: Any) -> None:
        """It runs later."""

    def code(self, name: str) -> Any:
        if name in self.compiled:
            return loads(self.compiled[name])
        self.sources = self.sources or unpacked(self.packed)
        # Without what nobody reads there: docstrings, a tenth of all.
        code = compile(self.sources[self.paths[name]], self.paths[name], "exec", dont_inherit=True, optimize=2)
        self.compiled[name] = dumps(code)
        return code

    def keep(self, folder: str, name: str) -> None:
        """Keep what this call has compiled; the next one does not need it, so a full disk is no news."""
        try:
            if self.sources is not None:
                keep(folder, name, dumps((self.packed, self.paths, self.compiled)), beside=name)
            if len(self.patterns) > self.known:
                keep(folder, name + PATTERNS, dumps(self.patterns), beside=name)
        except OSError:
            pass


def unpacked(packed: bytes) -> Any:
    """The sources by their paths."""
    import zlib

    return loads(zlib.decompress(packed))


def unused(packed: bytes, sources: Any) -> bytes:
    """What is kept before the first call: the sources as they came, and no code."""
    paths = {path[: -len(".py")].replace("/__init__", "").replace("/", "."): path for path in sources}
    return dumps((packed, paths, {}))


def python() -> str:
    """The version of this Python, and of the code that it compiles, which no other version can run."""
    return f"{sys.version_info[0]}.{sys.version_info[1]}-{MAGIC_NUMBER[:2].hex()}"


def compiled() -> None:
    """Print for which Python all is compiled, and what is kept then; the controller runs this for its hosts."""
    import zlib

    packed = sys.stdin.buffer.read()
    sources = unpacked(packed)
    finder = Finder(unused(packed, sources), sources)
    for name in finder.paths:
        finder.code(name)
    kept = dumps((b"", finder.paths, finder.compiled))
    # At its best zlib takes longer than compiling does, for a hundredth less to send.
    sys.stdout.buffer.write(python().encode() + b"\n" + zlib.compress(kept))


def main(version: str, folder: str, started: str, view: str, request: str, fits: Optional[str] = None) -> None:
    """Answer one call: of which version of the sources, and where a user keeps its code who is not root.

    Behind this program stand the sources, or what `compiled` has made of them for the Python that it `fits`; nothing
    without that.
    """
    packed = sys.stdin.buffer.read()  # in any case: whoever sends must not find that nobody reads
    gc.set_threshold(OBJECTS)
    if sys.version_info < (3, 8):  # noqa: UP036 - the host may have any
        sys.exit("the host's Python is older than 3.8")
    # As modules read remote_tmp, in which a home may stand as ~ and as $HOME.
    folder = os.path.expanduser(os.path.expandvars(folder)) if os.geteuid() else FOLDER_OF_ROOT
    name = version + "-" + MAGIC_NUMBER[:2].hex()
    told: Any = {}
    sources = None
    try:
        kept = load(folder, name)
        if fits is not None:
            told["linuxnet_tuning_had"] = True
    except OSError as error:
        if fits not in ("", python()):
            import json

            print(json.dumps({"linuxnet_tuning_missing": str(error), "linuxnet_tuning_python": python()}))
            return
        if fits:
            import zlib

            kept = zlib.decompress(packed)
        else:
            sources = unpacked(packed)
            kept = unused(packed, sources)
        try:
            keep(folder, name, kept)
        except OSError as problem:  # a disk that is full; the call goes on all the same
            told["linuxnet_tuning_note"] = str(problem)
    print(started, flush=True)
    print(started, file=sys.stderr, flush=True)
    finder = Finder(kept, sources, expressions(folder, name))
    sys.meta_path.insert(0, finder)
    from tuning import bare  # type: ignore[import-not-found]  # the Finder has it

    try:
        bare.serve(view, request, told)
    finally:
        finder.keep(folder, name)
