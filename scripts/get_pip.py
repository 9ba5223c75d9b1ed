"""Stands in for the pip bootstrap script that ansible-test downloads: the same result from the package index.

ansible-test runs it in a virtual environment of its own with what pip is to install as arguments.
"""

from __future__ import annotations

import subprocess
import sys


def main() -> None:
    # Two options of the original script that pip does not know; ensurepip brings neither package today.
    arguments = [argument for argument in sys.argv[1:] if argument not in ("--no-setuptools", "--no-wheel")]
    subprocess.run([sys.executable, "-m", "ensurepip"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([sys.executable, "-m", "pip", "install", *arguments], check=True)


if __name__ == "__main__":
    main()
