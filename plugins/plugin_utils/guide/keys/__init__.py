# SPDX-License-Identifier: GPL-3.0-or-later
"""What a key and a value mean as a setting, where the kernel has it, and whether a value is taken, idle or harmful."""
