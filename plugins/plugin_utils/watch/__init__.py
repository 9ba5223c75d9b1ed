# SPDX-License-Identifier: GPL-3.0-or-later
"""Watch: a program that hosts run by a timer, which puts back what has drifted from the inventory and says so."""
