# SPDX-License-Identifier: GPL-3.0-or-later
"""One word for one idea: the table in docs/architecture.md, and no identifier made of a word that it has replaced."""

import ast
import functools
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "plugins").rglob("*.py"))

# The word that went, and what is said in its place.
OLD = {
    **dict.fromkeys(("asked", "asks", "unasked"), "desired for a state, requested for what a call or device was told"),
    **dict.fromkeys(("wish", "wishes", "wished"), "desired or requested"),
    **dict.fromkeys(("want", "wants", "wanted", "unwanted"), "desired, planned or requested"),
    **dict.fromkeys(("goal", "goals", "target", "targets"), "planned"),
    "have": "current",
    **dict.fromkeys(("place", "places"), "position, index, path or where"),
}

# Identifiers that keep such a word, by the folder or file where they do.
KEPT = {
    ("module_utils", "target"): "what a symbolic link leads to is called so; `Reader.target` reads it",
    ("module_utils", "wants_link"): "the folders of systemd whose links start a unit end in .wants",
    ("plugin_utils/autotune", "goal"): "the variable autotune_goal is public",
    ("plugin_utils/autotune", "GOALS"): "the variable autotune_goal is public",
    ("filter/autotune_", "goal"): "the variable autotune_goal is public",
    ("plugin_utils/guide/languages/python_variables.py", "targets"): "`ast` calls so what an assignment sets",
    ("plugin_utils/guide/languages/python_variables.py", "target"): "`ast` calls so the variables of a loop",
    ("plugin_utils/fast/kept.py", "target"): "Python's import system calls this argument so",
}


def words(name):
    """`_oldValue_of` as old, value, of."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]


def identifiers(node):
    """The names that a node of the syntax tree spells."""
    if isinstance(node, ast.Name):
        return [node.id]
    if isinstance(node, ast.Attribute):
        return [node.attr]
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, (ast.arg, ast.keyword)):
        return [node.arg] if node.arg else []
    if isinstance(node, ast.alias):
        return [*node.name.split("."), *([node.asname] if node.asname else [])]
    if isinstance(node, ast.ExceptHandler):
        return [node.name] if node.name else []
    return []


@functools.cache
def spelled(source):
    """Each identifier of a text of Python with the line of its first use."""
    found = {}
    for node in ast.walk(ast.parse(source)):
        for name in identifiers(node):
            found.setdefault(name, getattr(node, "lineno", 1))
    return found


def old(source):
    return {name: line for name, line in spelled(source).items() if OLD.keys() & set(words(name))}


def kept(path, name):
    """The exceptions that an identifier of a file is one of."""
    inside = path.relative_to(ROOT / "plugins").as_posix()
    return [key for key in KEPT if key[1] == name and inside.startswith(key[0])]


def test_no_identifier_is_made_of_an_old_word():
    found = [
        f"{path.relative_to(ROOT)}:{line}: {name}: say {OLD[word]}"
        for path in SOURCES
        for name, line in {**old(path.read_text()), **old(f"{path.stem} = 0")}.items()
        if not kept(path, name)
        for word in words(name)
        if word in OLD
    ]
    assert not found, "\n".join(found)


def test_what_keeps_an_old_word_is_still_there():
    assert {key for path in SOURCES for name in old(path.read_text()) for key in kept(path, name)} == set(KEPT)


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("asked = 1", "asked"),
        ("def of(place): ...", "place"),
        ("def _wanted(): ...", "_wanted"),
        ("class UnaskedValue: ...", "UnaskedValue"),
        ("plan.targets", "targets"),
        ("Cell(place=1)", "place"),
        ("from x import y as goal_of", "goal_of"),
        ("_OLD_PLACES = ()", "_OLD_PLACES"),
        ("f'{have}'", "have"),
        ("placement, displaced, taskmaster, haven, multitasks = 1", None),
    ],
)
def test_an_old_word_is_seen_wherever_it_stands(source, name):
    assert list(old(source)) == ([name] if name else [])


def test_the_table_of_words_names_what_there_is():
    text = (ROOT / "docs/architecture.md").read_text()
    rows = re.findall(
        r"^\| ([\w, ]+) \| .+ \| (.+) \|$", text.partition("\n## Words\n")[2].partition("\n## ")[0], re.MULTILINE
    )
    known = {name for path in SOURCES for name in (*spelled(path.read_text()), path.name)}
    assert {word for words_, _code in rows[1:] for word in words_.split(", ")} >= {
        *(
            "current",
            "desired",
            "requested",
            "planned",
            "applied",
            "mismatch",
            "rollback",
            "revert",
            "restore",
            "layer",
        ),
        *("original", "permanent", "temporary", "unconfirmed", "upper", "lower", "port", "group", "key", "value"),
    }
    named = [(word, name) for word, code in rows[1:] for quoted in re.findall(r"`([^`]+)`", code) for name in [quoted]]
    lost = [f"{word}: {name}" for word, name in named if not set(re.split(r"\.(?!py$)|/", name)) <= known]
    assert named and not lost
