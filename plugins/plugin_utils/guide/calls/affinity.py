# SPDX-License-Identifier: GPL-3.0-or-later
"""The scripts that come with drivers of Intel and Mellanox, and deal interrupts out to processors."""

from __future__ import annotations

import re
from functools import partial
from itertools import takewhile
from typing import Callable, Dict, List

from .. import masks
from ..keys.settings import Guide
from ..model import HOST, NOTE, ON_HOST, PHYSICAL

# A file beside them has functions of the same names.
OF_VENDORS = ("set_irq_affinity", "set_irq_affinity_cpulist", "set_irq_affinity_bynode", "mlnx_affinity")
# What the options of Intel's script write into the files of XPS: the mask of the interrupt, or nothing.
_STEERS = {"-x": True, "-X": False}
_PROCESSORS = re.compile(r"\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*")
# Words in place of a list of processors.
_NAMED = ("local", "all", "remote", "one", "custom", "start")
# Words of a sentence about such a script, which are no names of NICs.
_SENTENCE_WORDS = """
a also an and are as at be both by can comes do for from has if in is it its may must of on only or script see should
such that the then these this to use uses was when where which will with you your
"""
_OF_A_SENTENCE = frozenset(_SENTENCE_WORDS.split())


def by_interrupt(guide: Guide, line: int, words: List[str], mellanox: bool = False, listed: bool = False) -> None:
    """The scripts of Intel and Mellanox that spread interrupts; what is `listed` has processors before the NIC."""
    steers = [word for word in words if word in _STEERS]
    told = len(words)
    words = _without_sentence([word for word in words if not word.startswith("-")])
    if told and not words:
        guide.sink.nothing(line, "words about a script, and no call of it")
        return
    turned = len(words) == 2 and not _names_processors(words[0], listed) and _names_processors(words[1], False)
    words = words[::-1] if turned else words
    computed = len(words) > 1 and not masks.known(words[0]) and _names_processors(words[0], listed)
    first = masks.shown(words[0]) if words else ""
    everywhere = (("driver", "mlx5_core"),) if mellanox else PHYSICAL
    if computed or first in _NAMED or first[:1].isdecimal():
        how, nics = words[0], words[1:] or [HOST]
    else:
        how, nics = "local", words or [HOST]
    # The signs of a synopsis are no NICs: `eth0 [, eth1, ...]`.
    named_nics = [bare for bare in (nic.strip("[],") for nic in nics) if bare.strip(".")]
    for nic in named_nics or [HOST]:
        cpus = how if _PROCESSORS.fullmatch(how) else "spread"
        if computed or how in ("remote", "one", "custom"):
            text = f"irq affinity '{masks.shown(how)}': write the processors as a list for {masks.shown(nic)}"
            guide.sink.remark(line, ON_HOST, text)
        else:
            chosen = {"affinity": cpus, **({"xps": cpus if _STEERS[steers[-1]] else "none"} if steers else {})}
            for key, value in chosen.items():
                guide.sink.set(line, masks.name(nic), "irq", key, value, () if nic else everywhere)
            guide.sink.remark(line, NOTE, "the script deals one processor to each interrupt, as affinity does")
    if turned:
        guide.sink.note(line, "the scripts of the vendors take the processors before the NIC")


def _without_sentence(words: List[str]) -> List[str]:
    """The arguments before the words of a sentence, if there are any; none where no argument tells what to do."""
    if not any(masks.shown(word).lower().strip(".,;:()") in _OF_A_SENTENCE for word in words):
        return words
    return list(takewhile(_is_argument, words))


def _is_argument(word: str) -> bool:
    """Whether a word says which processors or which NIC, by a number, a variable or a placeholder."""
    return not masks.known(word) or word in _NAMED or re.search(r"[\d$<>*{}]", masks.shown(word)) is not None


def _names_processors(word: str, listed: bool) -> bool:
    """Whether an argument of such a script is a list of processors, or a variable that is named like one."""
    if masks.known(word):
        return _PROCESSORS.fullmatch(word) is not None
    return listed or re.search(r"(?i)cpu|core|mask|list", masks.shown(word)) is not None


def by_node(guide: Guide, line: int, words: List[str]) -> None:
    """The script of Mellanox whose first argument is a NUMA node, and no processor."""
    for nic in _without_sentence(words)[1:]:
        node = masks.shown(words[0])
        text = f"the script deals out the processors of NUMA node {node}; spread takes those next to the NIC"
        guide.sink.set(line, masks.name(nic), "irq", "affinity", "spread")
        guide.sink.remark(line, NOTE, text)


PROGRAMS: Dict[str, Callable[[Guide, int, List[str]], None]] = {
    **{f"set_irq_affinity{end}": by_interrupt for end in ("", ".sh")},
    **{f"set_irq_affinity_cpulist{end}": partial(by_interrupt, listed=True) for end in ("", ".sh")},
    **{f"set_irq_affinity_bynode{end}": by_node for end in ("", ".sh")},
    "mlnx_affinity": partial(by_interrupt, mellanox=True),
}
