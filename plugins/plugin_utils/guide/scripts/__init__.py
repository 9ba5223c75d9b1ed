# SPDX-License-Identifier: GPL-3.0-or-later
"""Follow a shell script: its loops and functions, text through pipelines, and the files that it writes."""
