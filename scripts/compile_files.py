"""Compiles the files named on standard input with the Python that runs it, writing nothing.

It runs on the oldest Python of a managed host, so it keeps to what Python 3.8 understands.
"""

import sys


def main() -> None:
    failed = False
    for path in sys.stdin.read().splitlines():
        with open(path, "rb") as source:
            try:
                compile(source.read(), path, "exec", dont_inherit=True)
            except SyntaxError as error:
                failed = True
                print(f"{path}:{error.lineno}: {error.msg}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
