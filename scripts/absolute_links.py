# SPDX-License-Identifier: GPL-3.0-or-later
"""Make the relative links of a README absolute, those of pictures too, for where it is shown outside of the repository.

The galaxy.yml beside it says where that is.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import yaml

_RELATIVE = re.compile(r"(!?)(\[[^\]]*\])\((?!https?://|#)([^)\s]+)\)")


def main() -> int:
    """Takes the path of the README."""
    path = Path(sys.argv[1])
    base = yaml.safe_load((path.parent / "galaxy.yml").read_text())["repository"]

    def absolute(link: re.Match[str]) -> str:
        return f"{link[1]}{link[2]}({base}/{'raw' if link[1] else 'blob'}/main/{link[3]})"

    path.write_text(_RELATIVE.sub(absolute, path.read_text()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
