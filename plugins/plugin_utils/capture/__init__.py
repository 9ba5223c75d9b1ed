# SPDX-License-Identifier: GPL-3.0-or-later
"""Capture: what was tuned by hand on a host as inventory; facts in, text of files out."""
