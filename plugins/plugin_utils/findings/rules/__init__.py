# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules, one file for one rule or for few that belong together."""
