"""Tell the demo in six lines, from what its steps have written: what was wrong, what was done, what it brought."""

from __future__ import annotations

import json
import sys
from pathlib import Path


def main() -> None:
    """The folder of the results is the argument."""
    folder = Path(sys.argv[1])
    first, last = (json.loads((folder / name).read_text())["findings"] for name in ("audit-first.json", "audit.json"))
    wrong = list(dict.fromkeys(one["id"] for one in [*first, *last] if one["severity"] != "note"))
    wrong += [one["id"] for one in last if one["id"] == "clients-crowd-queues" and one["id"] not in wrong]
    done = [line for line in (folder / "site.txt").read_text().splitlines() if line.rstrip().endswith(" router")]
    before, after = (_figures(sorted(folder.glob(f"{side}-2*.json"))[-1]) for side in ("before", "after"))
    print(f"wrong    {', '.join(wrong)}")
    print(f"done     {len(done)} kinds of settings in one run, and a queue for each client; kept over reboots")
    print(f"brought  slowest client  {_rate(before['minimum'])} before, {_rate(after['minimum'])} after")
    print(f"         all together    {_rate(before['sum'])} before, {_rate(after['sum'])} after")
    print(f"         fairness        {before['fairness']:.2f} before, {after['fairness']:.2f} after (1 is best)")
    print(f"reports  {folder / 'audit.html'}, {sorted(folder.glob('prove-*.html'))[-1]}")


def _figures(path: Path) -> dict[str, float]:
    figures = json.loads(path.read_text())["groups"]["room"]["figures"]["down"]
    return {name: figures[name]["median"] for name in ("minimum", "sum", "fairness")}


def _rate(bits: float) -> str:
    return f"{bits / 1e6:.2f} Mbit/s"


if __name__ == "__main__":
    main()
