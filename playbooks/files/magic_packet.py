# SPDX-License-Identifier: GPL-3.0-or-later
"""Send the magic packets of Wake-on-LAN: `magic_packet.py ADDRESS PORT MAC...`; the address is a broadcast address."""

import re
import socket
import sys

address, port, macs = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
    sender.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
    # Three times, for nobody tells that one is lost.
    for mac in macs * 3:
        digits = re.sub("[:.-]", "", mac)
        if not re.fullmatch("[0-9A-Fa-f]{12}", digits):
            sys.exit(f"'{mac}' is no MAC address")
        sender.sendto(b"\xff" * 6 + bytes.fromhex(digits) * 16, (address, port))
