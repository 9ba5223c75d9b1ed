# SPDX-License-Identifier: GPL-3.0-or-later
"""Tell a person, or a program, what an audit has found; pure, on the controller."""
