# SPDX-License-Identifier: GPL-3.0-or-later
"""Has Python keep the compiled code of what is imported from here and from module_utils, as it does elsewhere.

Ansible's own loader of collections compiles each file anew in every run, a hundred of them for `site`, before the first
host is asked. Where nothing can be written beside the sources, they are compiled as ever.
"""

from __future__ import annotations

import sys
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, ModuleSpec, SourceFileLoader
from typing import Optional, Sequence

_PLUGINS = __name__.rpartition(".")[0]
_OURS = (f"{_PLUGINS}.plugin_utils.", f"{_PLUGINS}.module_utils.")


class Finder:
    """Finds the files of these two folders before Ansible does; whatever is no file is left to Ansible."""

    def __init__(self) -> None:
        self._folders: dict[str, FileFinder] = {}

    def find_spec(
        self, name: str, path: Optional[Sequence[str]] = None, _module: object = None
    ) -> Optional[ModuleSpec]:
        """As Python asks for it: how a module is loaded, if it is one of ours."""
        if not name.startswith(_OURS):
            return None
        for folder in path or ():
            if folder not in self._folders:
                self._folders[folder] = FileFinder(folder, (SourceFileLoader, SOURCE_SUFFIXES))
            found = self._folders[folder].find_spec(name)
            if found and found.loader:
                return found
        return None


if not isinstance(__spec__.loader, SourceFileLoader):
    sys.meta_path.insert(0, Finder())
