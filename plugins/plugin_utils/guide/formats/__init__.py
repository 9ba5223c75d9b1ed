# SPDX-License-Identifier: GPL-3.0-or-later
"""Configuration files of one form each, and the differences between files."""
