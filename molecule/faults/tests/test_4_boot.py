# SPDX-License-Identifier: GPL-3.0-or-later
"""After a good run every setting comes back by itself at boot, under each manager."""

from __future__ import annotations

import pytest
from lab_faults import ask

# Gives both igb to a manager. Two of them set an MTU of their own on one, and what is tuned there has to come after it.
# NetworkManager does not: it sets the MTU of a profile whenever it likes, so docs/safety.md says to leave that out.
HAND_OVER = {
    "systemd-networkd": r"""
printf '[Match]\nName=%s\n[Network]\nAddress=%s\n' igb0 192.168.32.254/24 \
  > /etc/systemd/network/20-fault0.network
printf '[Match]\nName=%s\n[Link]\nMTUBytes=1400\n[Network]\nAddress=%s\n' igb1 192.168.33.254/24 \
  > /etc/systemd/network/20-fault1.network
networkctl reload; networkctl reconfigure igb0 igb1
""",
    "NetworkManager": r"""
printf '%s\n' '[main]' 'no-auto-default=*' '[keyfile]' 'unmanaged-devices=*,except:interface-name:igb*' \
  > /etc/NetworkManager/conf.d/lab.conf
umask 077
for nic in igb0:192.168.32.254/24 igb1:192.168.33.254/24; do
  printf '%s\n' '[connection]' id=${nic%%:*} type=ethernet interface-name=${nic%%:*} \
    '[ipv4]' method=manual address1=${nic#*:} > /etc/NetworkManager/system-connections/fault-${nic%%:*}.nmconnection
done
systemctl -q unmask NetworkManager; systemctl -q enable NetworkManager
""",
    "ifupdown": r"""
for nic in igb0:192.168.32.254/24 igb1:192.168.33.254/24; do
  printf 'auto %s\niface %s inet static\n  address %s\n' ${nic%%:*} ${nic%%:*} ${nic#*:} \
    > /etc/network/interfaces.d/fault-${nic%%:*}
done
echo '  mtu 1400' >> /etc/network/interfaces.d/fault-igb1
systemctl -q unmask networking; systemctl -q enable networking
""",
}
TAKE_BACK = """
rm -f /etc/systemd/network/20-fault* /etc/NetworkManager/system-connections/fault* /etc/network/interfaces.d/fault*
rm -f /etc/NetworkManager/conf.d/lab.conf; cp -a /root/lab.conf /etc/NetworkManager/conf.d/ 2> /dev/null
systemctl -q disable --now NetworkManager networking 2> /dev/null
rm -rf /run/NetworkManager/system-connections
# When it only reads its files anew it drops its addresses a little later, even one that was given anew before that.
systemctl restart systemd-networkd
for nic in igb0 igb1; do ip address flush dev $nic scope global; done
ip link set dev igb0 mtu 1500; ip link set dev igb1 mtu 2000; systemctl restart lab-link@igb0 lab-link@igb1
"""


@pytest.mark.parametrize("manager", HAND_OVER)
def test_reboot(fault, manager):
    """A reboot"""
    ask("cp -an /etc/NetworkManager/conf.d/lab.conf /root/")
    try:
        ask(HAND_OVER[manager])
        fault.reboots()
        fault.answers()
        fault.has_settings()
    finally:
        # On a busy machine the restart of a manager takes its time.
        ask(TAKE_BACK, timeout=300)
    fault.is_as_before()
    fault.next_site_works("")
