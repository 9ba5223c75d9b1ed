# SPDX-License-Identifier: GPL-3.0-or-later
"""The language of the shell: words, their expansion, conditions; what a loop or a command does is in scripts/."""
