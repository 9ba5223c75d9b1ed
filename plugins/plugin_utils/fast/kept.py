# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the engine on a host's bare interpreter, from compiled code that is kept there.

The interpreter compiles this text with each call, so it is short. `main` prints one JSON object that says why the code
is missing, which asks for the sources; or `started`, and then the result of the module. Where the connection is lost,
Ansible knows what was said on standard error only, so `started` stands there too.
"""

from __future__ import annotations

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
VERSIONS = 4


def owned(path: str, flags: int, kind: Callable[[int], bool], folder: Optional[int] = None) -> int:
    """Open what belongs to this user, is no link, and cannot be written by others: they could put their code there."""
    handle = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    found = os.fstat(handle)
    if not kind(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
        raise OSError(1, path + " is not ours, or others can write to it")
    return handle


def place(path: str) -> int:
    """Open the folder of the code."""
    return owned(path, os.O_RDONLY | os.O_DIRECTORY, stat.S_ISDIR)


def digest(name: str, code: bytes) -> bytes:
    """The hash that stands in front of the code; bound to its name, so that no version passes for another one."""
    return blake2b(code, digest_size=32, key=name.encode()).digest()


def load(folder: str, name: str) -> bytes:
    """The code as it was kept; OSError says why it is not run."""
    with open(owned(name, os.O_RDONLY, stat.S_ISREG, place(folder)), "rb") as file:
        content = file.read()
    if digest(name, content[32:]) != content[:32]:
        raise OSError(5, name + " is damaged")
    return content[32:]


def compiled(sources: str) -> bytes:
    """The code of all modules by name: whether it is a package, and its marshalled code."""
    import base64
    import json
    import zlib

    code = {}
    for path, text in json.loads(zlib.decompress(base64.b64decode(sources))).items():
        *names, last = path[: -len(".py")].split("/")
        made = dumps(compile(text, path, "exec", dont_inherit=True))
        code[".".join(names if last == "__init__" else [*names, last])] = (last == "__init__", made)
    return dumps(code)


def keep(folder: str, name: str, code: bytes) -> None:
    """Put the code where the next call finds it: as a whole or not at all, and for nobody else to write."""
    os.makedirs(folder, exist_ok=True)
    inside = place(folder)
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
    for old in sorted(age, key=age.__getitem__)[:-VERSIONS]:
        os.unlink(old, dir_fd=inside)


class Finder:
    """Imports modules from the code, each once it is asked for."""

    def __init__(self, code: Any) -> None:
        self.code = code

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        own: Any = self
        return ModuleSpec(name, own, is_package=self.code[name][0]) if name in self.code else None

    def create_module(self, spec: Any) -> None:
        """The interpreter makes it."""

    def exec_module(self, module: Any) -> None:
        exec(loads(self.code[module.__name__][1]), module.__dict__)


def main(version: str, folder: str, started: str, view: str, request: str, sources: Optional[str] = None) -> None:
    """Answer one call: of which version of the sources, and where a user keeps its code who is not root."""
    if sys.version_info < (3, 8):  # noqa: UP036 - the host may have any
        sys.exit("the host's Python is older than 3.8")
    folder = os.path.expanduser(folder) if os.geteuid() else FOLDER_OF_ROOT
    name = version + "-" + MAGIC_NUMBER[:2].hex()  # compiled code is good for one version of Python
    if sources is None:
        try:
            code, note = load(folder, name), ""
        except OSError as error:
            import json

            print(json.dumps({"linuxnet_tuning_missing": str(error)}))
            return
    else:
        code, note = compiled(sources), ""
        mask = os.umask(0o077)
        try:
            keep(folder, name, code)
        except OSError as error:  # a disk that is full; the call goes on all the same
            note = str(error)
        os.umask(mask)
    print(started, flush=True)
    print(started, file=sys.stderr, flush=True)
    sys.meta_path.insert(0, Finder(loads(code)))
    from tuning import bare  # type: ignore[import-not-found]  # the Finder has it

    bare.serve(view, request, note)
