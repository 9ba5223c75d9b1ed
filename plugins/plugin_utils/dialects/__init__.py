# SPDX-License-Identifier: GPL-3.0-or-later
"""Know what other tools call our keys, and since which version: one table for reading (guide) and writing (export)."""
