# SPDX-License-Identifier: GPL-3.0-or-later
"""Document the options about kernel parameters."""

from __future__ import annotations


class ModuleDocFragment:
    """Options of the modules that set parameters of the kernel and of its modules."""

    DOCUMENTATION = r"""
options:
  sysctl:
    description:
      - Kernel parameters by key, such as C(net.core.rmem_max).
      - >-
        The value is a number or a text, a list for a vector, V({at_least: N}) to raise only, or V({at_most: N}) to
        lower only. These two look at each number of a vector on its own; one bound holds for all numbers.
      - >-
        V({if_available: V}) is left out with a warning on a host that does not have it, such as a congestion control
        whose module is not installed. V({value: V, warning: TEXT}) prints the text as a warning at each call.
        Both may contain a bound.
      - >-
        In place of a number, also in a vector and under a bound, a formula is computed on the host.
        V({bdp: {rtt_ms: 40}}) is the bandwidth-delay product: the bytes in flight at the speed of a link. C(name) or
        C(match) select the link, as in an entry of NICs; the default is the fastest one with a real speed. C(speed) in
        Mb/s replaces the speed that a hypervisor invents, and C(times) multiplies.
        V({per_core: 32}) and V({per_cpu: 32}) multiply by cores and by their threads, V({share_of_memory: 1%}) is a
        share of all memory. This and V(bdp) are in the unit of the key, which must be an amount of memory. V(max) is
        the largest value that the kernel accepts, for the buffers of sockets.
        If there is no number, for example without a link, the key is not supported on this host.
      - White space does not matter. A switch counts as 0 or 1.
      - An empty dictionary removes O(file). Without the option no kernel parameter is changed.
    type: dict
  file:
    description:
      - The file in C(/etc/sysctl.d) that keeps the values for the next boot. The whole file belongs to this collection.
      - A file of that name that was not written by this collection is an error.
    type: str
    default: 90-linuxnet-tuning.conf
"""

    MODULES = r"""
options:
  module_parameters:
    description:
      - Parameters of kernel modules by C(module.parameter), such as C(tcp_cubic.hystart), as on the kernel's
        command line.
      - >-
        The value is a number, a switch, a word, or a list for an array. V({if_available: V}) is left out with a warning
        on a host that does not have the module or the parameter.
      - An empty dictionary removes the files that keep them. Without the option no module parameter is changed.
    type: dict
"""
