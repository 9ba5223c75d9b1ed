"""Tell the demo in six lines, from what its steps have written: what was wrong, what was done, what it brought."""

from __future__ import annotations

import json
import sys
from pathlib import Path


def main() -> None:
    """The folder of the results is the argument."""
    folder = Path(sys.argv[1])
    first, last = (json.loads((folder / name).read_text())["findings"] for name in ("audit-first.json", "audit.json"))
    wrong = [one["id"] for one in [*first, *last] if one["severity"] != "note" or one["id"] == "clients-crowd-queues"]
    # The queues that the inventory asks for are what is to be proved.
    wrong = [name for name in dict.fromkeys(wrong) if name != "differs-from-inventory"]
    done = [line for line in _lines(folder / "site.txt") if line.endswith(" router")]
    verdict = next((line for line in _lines(folder / "prove.txt") if line.startswith("room: ")), "no verdict")
    before, after = (_figures(sorted(folder.glob(f"{side}-2*.json"))[-1]) for side in ("before", "after"))
    print(f"wrong    {', '.join(wrong)}")
    print(f"done     {len(done)} kinds of settings in one run, kept over reboots; another run had nothing to do")
    print(f"proved   {verdict.removeprefix('room: ')}")
    print(f"brought  slowest client  {_rate(before['minimum'])} before, {_rate(after['minimum'])} after")
    print(f"         all together    {_rate(before['sum'])} before, {_rate(after['sum'])} after")
    print(f"         fairness        {before['fairness']:.2f} before, {after['fairness']:.2f} after (1 is best)")
    print(f"\nThe reports to open in a browser: {folder / 'audit.html'}")
    print(f"                                  {sorted(folder.glob('prove-*.html'))[-1]}")


def _lines(path: Path) -> list[str]:
    return [line.rstrip() for line in path.read_text().splitlines()]


def _figures(path: Path) -> dict[str, float]:
    figures = json.loads(path.read_text())["groups"]["room"]["figures"]["down"]
    return {name: figures[name]["median"] for name in ("minimum", "sum", "fairness")}


def _rate(bits: float) -> str:
    return f"{bits / 1e6:.2f} Mbit/s"


if __name__ == "__main__":
    main()
