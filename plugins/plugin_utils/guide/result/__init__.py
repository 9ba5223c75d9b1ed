# SPDX-License-Identifier: GPL-3.0-or-later
"""Put together what all lines have set: what stands, what contradicts, and the inventory that it makes."""
