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
        whose module is not installed. V({value: V, warning: TEXT}) tells the text whenever the value is asked for.
        Both may hold a bound.
      - >-
        In the place of a number, in a vector and under a bound too, a formula is computed on the host.
        V({bdp: {rtt_ms: 40}}) are the bytes on the way at the speed that a link has; C(name) or C(match) say which, as
        in an entry of NICs, else it is the fastest that tells the truth. C(speed) in Mb/s takes its place where a
        hypervisor invents it, and C(times) multiplies.
        V({per_core: 32}) and V({per_cpu: 32}) multiply by cores and by their threads, V({share_of_memory: 1%}) is a
        share of all memory. This and V(bdp) are in the unit of the key, which has to count memory. V(max) is the
        largest that the kernel takes, for the buffers of sockets.
        Where there is no number, such as without a link, the key is what the host cannot have.
      - White space does not matter. A switch counts as 0 or 1.
      - An empty dictionary removes O(file). Without the option nothing about kernel parameters is touched.
    type: dict
  file:
    description:
      - The file in C(/etc/sysctl.d) that keeps the values for the next boot. It belongs to this collection as a whole.
      - A file of that name that somebody else wrote is an error.
    type: str
    default: 90-linuxnet-tuning.conf
"""

    MODULES = r"""
options:
  module_parameters:
    description:
      - Parameters of kernel modules by C(module.parameter), such as C(tcp_cubic.hystart), as they stand on the kernel's
        command line.
      - >-
        The value is a number, a switch, a word, or a list for an array. V({if_available: V}) is left out with a warning
        on a host that does not have the module or the parameter.
      - An empty dictionary removes the files that keep them. Without the option nothing about modules is touched.
    type: dict
"""
