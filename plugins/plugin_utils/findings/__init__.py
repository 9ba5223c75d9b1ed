# SPDX-License-Identifier: GPL-3.0-or-later
"""Judge the facts of hosts by rules; pure, on the controller."""
