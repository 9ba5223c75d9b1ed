# SPDX-License-Identifier: GPL-3.0-or-later
"""What a host's bare interpreter has instead of the module re does as that does, anew and from what was kept."""

from __future__ import annotations

import json
import marshal
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from ansible_collections.linuxnet.tuning.plugins.plugin_utils.fast import script

TEXT = "rx-0: 12 34\nRX-1: 56 78  # ü\n"
EXPRESSIONS = {
    "groups": (r"^(?P<name>\w+)-(\d+): (\d+)(x)?", re.MULTILINE),
    "no case": (r"rx-(\d)", re.IGNORECASE),
    "all of it": (r"rx.*\n", re.DOTALL),
    "with blanks": (r" (\d+) [ ] # two numbers", re.VERBOSE),
    "only ascii": (r"\w+", re.ASCII),
    "several": (r"(?i)RX|[^\W\d]{2,}?|\s$", re.MULTILINE | re.DOTALL),
    "around": (r"(?<=: )\d+(?= )|(?<!x)-", 0),
    "again": (r"(\d)\1|(a)?(?(2)b|c)", 0),
}
# Runs the file of the stand-in, or the real module, on the expressions, and prints what it finds, what it has loaded,
# and what it would have a host keep.
PROGRAM = """
import marshal, sys
kept, stand_in, known = sys.argv[1], sys.argv[2], bytes.fromhex(sys.argv[3])
space = {}
exec(compile(open(kept).read(), kept, "exec"), space)
code = marshal.dumps(compile(open(stand_in).read(), stand_in, "exec"))
finder = space["Finder"](marshal.dumps((b"", {"re": "re.py"}, {"re": code})), None, known and marshal.loads(known))
if stand_in != kept:
    sys.meta_path.insert(0, finder)
import re, json
def shown(match):
    return match and [match.span(), match.groups(), match.groupdict()]
text, found = sys.argv[4], {}
for name, (form, flags) in json.loads(sys.argv[5]).items():
    made = re.compile(form, flags)
    assert made is re.compile(form, flags)
    found[name] = [made.flags, made.groups, dict(made.groupindex), made.pattern,
        shown(re.match(form, text, flags)), shown(re.search(form, text, flags)), shown(re.fullmatch(form, text, flags)),
        re.findall(form, text, flags), [shown(one) for one in re.finditer(form, text, flags)],
        re.split(form, text, flags=flags), re.split(form, text, 1, flags),
        re.sub(form, "-", text, flags=flags), re.sub(form, lambda one: one[0] * 2, text, 1, flags)]
found["bytes"] = [one.decode() for one in re.findall(rb"\\\\x([0-9a-f]{2})", rb"a\\x41\\x42")]
found["flags"] = [int(getattr(re, name)) for name in ("IGNORECASE", "MULTILINE", "DOTALL", "VERBOSE", "ASCII")]
found["escaped"] = re.escape("".join(map(chr, range(300))))
whole = sorted({"re._parser", "sre_parse", "enum"}.intersection(sys.modules))
found["template"] = re.sub(r"(\\d)(?P<b>\\d)", r"\\2\\g<b>\\1", text)
try:
    re.compile("(")
except re.error as error:
    found["wrong"] = str(error)
found["others"] = [re.subn("a", "b", "aa"), re.I | re.M == re.IGNORECASE | re.MULTILINE]
print(json.dumps([found, whole, marshal.dumps(finder.patterns).hex()]))
"""


def told(stand_in, known=""):
    """What a program finds with the stand-in of a file, or with the real module for that of the code itself."""
    argv = [sys.executable, "-I", "-S", "-c", PROGRAM, script.PATH, stand_in, known, TEXT, json.dumps(EXPRESSIONS)]
    done = subprocess.run(argv, capture_output=True, check=False, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def real():
    """What the real module finds."""
    return told(script.PATH)[0]


@pytest.fixture(scope="module")
def stand_in():
    """The file of the stand-in."""
    return str(Path(script.PATH).with_name("patterns.py"))


def test_expressions_do_the_same_anew_and_as_they_were_kept(real, stand_in):
    found, _whole, keeps = told(stand_in)
    assert found == real
    again, whole, same = told(stand_in, keeps)
    assert again == real
    assert not whole, "the real module was loaded for what was kept"
    assert marshal.loads(bytes.fromhex(same)) == marshal.loads(bytes.fromhex(keeps))


def test_what_is_kept_has_an_end(stand_in):
    finder = SimpleNamespace(patterns={})
    space = {"__name__": "re", "__loader__": finder}
    exec(compile(Path(stand_in).read_text("utf-8"), stand_in, "exec"), space)
    space.update(MOST=2, _real=lambda: re)
    for number in range(5):
        assert space["fullmatch"](f"x{number}", f"x{number}")
    assert list(finder.patterns) == [("x0", 0), ("x1", 0)]
