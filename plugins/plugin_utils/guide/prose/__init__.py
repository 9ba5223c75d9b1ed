# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts for people: which lines are commands and settings, and which only show, offer or advise against them."""
