# SPDX-License-Identifier: GPL-3.0-or-later
"""Know the programs that stand in such scripts beside the tuning: whose work they do, or that they set nothing."""

from __future__ import annotations

import re
from typing import Mapping

_FIREWALL = "the firewall has its own tools"
_ADDRESS = "addresses and routes belong to the network manager"
_POWER = "it is of the processors; TuneD and cpupower set it"
_DISK = "it is of disks, not of the network"
_MEMORY = "it is of the memory, not of the network"
_RDMA = "DCB and RDMA are no settings of this collection"
_FIRMWARE = "it belongs to the firmware of the NIC, which keeps it; the tools of the vendor set it"
_TUNES = "it tunes by a profile of the vendor, and what that sets is not in this text; capture reads it from the host"
_SERVICE = "this collection does not manage services"
_ELSEWHERE = "it acts on other hosts"
_GUESTS = "machines and containers have their own tools"
_VIRTUAL = "virtual NICs and bridges belong to the network manager"

# What stands on the command line of the kernel.
OF_BOOT = re.compile(
    r"GRUB_CMDLINE_LINUX\w*=|(?<![\w.])(?:processor\.max_cstate|intel_idle\.max_cstate|isolcpus|nohz_full|rcu_nocbs|irqaffinity"
    r"|intel_iommu|amd_iommu|iommu(?:\.passthrough|\.strict)?|pcie_aspm|mitigations|net\.ifnames|biosdevname|nosmt|idle"
    r"|intel_pstate|amd_pstate|cpufreq\.default_governor|pci)=[a-z\d]"
)

OTHERS: Mapping[str, str] = {
    **dict.fromkeys(
        ("iptables", "ip6tables", "nft", "ufw", "firewall-cmd", "ebtables", "arptables", "ipset"), _FIREWALL
    ),
    **dict.fromkeys(
        ("iptables-restore", "ip6tables-restore", "iptables-save", "shorewall", "rcSuSEfirewall2"), _FIREWALL
    ),
    **dict.fromkeys(("route", "dhclient", "dhcpcd", "arp", "ndppd", "hostnamectl", "udhcpc", "resolvectl"), _ADDRESS),
    **dict.fromkeys(("ifup", "ifdown", "ifreload", "netplan", "networkctl", "nm-online", "wg-quick", "wg"), _ADDRESS),
    **dict.fromkeys(
        ("brctl", "bridge", "vconfig", "ifenslave", "ovs-vsctl", "ovs-ofctl", "teamdctl", "tunctl"), _VIRTUAL
    ),
    **dict.fromkeys(("cpupower", "cpufreq-set", "x86_energy_perf_policy", "wrmsr", "turbostat", "powertop"), _POWER),
    **dict.fromkeys(
        ("set_cpu_governor", "intel_gpu_frequency", "pmqos-static.py", "numactl", "taskset", "chrt"), _POWER
    ),
    **dict.fromkeys(("hdparm", "blockdev", "mount", "umount", "tune2fs", "fstrim"), _DISK),
    **dict.fromkeys(("mlnx_qos", "cma_roce_mode", "cma_roce_tos", "dcb", "dcbtool", "lldptool", "rdma"), _RDMA),
    **dict.fromkeys(("show_gids", "ibdev2netdev", "opensm"), _RDMA),
    **dict.fromkeys(("mlxconfig", "mstconfig", "mlxreg", "mstreg", "mst", "mlxfwreset", "mstfwreset"), _FIRMWARE),
    **dict.fromkeys(("flint", "mstflint", "mlxfwmanager", "ethtool-fw", "bnxtnvm", "niccli"), _FIRMWARE),
    "irqbalance": "it deals out interrupts once; irq: {affinity: spread} does so for good",
    "mlnx_tune": _TUNES,
    **dict.fromkeys(("swapoff", "swapon", "mkswap"), _MEMORY),
    **dict.fromkeys(("service", "rc-service", "chkconfig", "update-rc.d", "rc-update"), _SERVICE),
    **dict.fromkeys(("systemd-sysctl", "initctl"), _SERVICE),
    **dict.fromkeys(
        ("iw", "iwconfig", "iwpriv", "wl", "wlctl", "wpa_supplicant", "rfkill"), "this collection does not manage WLAN"
    ),
    **dict.fromkeys(("rmmod", "insmod"), "kernel modules are loaded by modules-load.d and modprobe.d"),
    **dict.fromkeys(
        ("grubby", "update-grub", "grub2-mkconfig", "grub-mkconfig"),
        "this collection does not manage the kernel command line",
    ),
    **dict.fromkeys(("ssh", "sshpass", "pssh", "pdsh", "dsh", "clush", "parallel-ssh", "scp", "rsync"), _ELSEWHERE),
    **dict.fromkeys(("gcloud", "aws", "az", "vagrant", "minikube"), _ELSEWHERE),
    **dict.fromkeys(("ulimit", "prlimit"), "limits of processes belong to systemd and limits.d"),
    **dict.fromkeys(("reboot", "shutdown", "poweroff", "kexec"), "it restarts the host, and sets nothing"),
    **dict.fromkeys(("uci",), "OpenWrt has its own configuration"),
    **dict.fromkeys(("crontab", "at"), "this collection does not manage cron jobs"),
    **dict.fromkeys(
        ("docker", "docker-compose", "podman", "nerdctl", "crictl", "kubectl", "oc", "helm", "virsh", "qm", "pct"),
        _GUESTS,
    ),
    **dict.fromkeys(("lxc", "lxc-attach", "lxc-execute", "incus", "machinectl", "systemd-nspawn", "unshare"), _GUESTS),
    **dict.fromkeys(("virt-customize", "virt-builder", "virt-sysprep", "guestfish"), _GUESTS),
    "nsenter": "it acts in another network namespace only",
}

# Variables by which another program is configured, by how their names begin.
_VARIABLES: Mapping[str, str] = {
    "IRQBALANCE_": "it is of irqbalance, of which the inventory has whether it runs: irq: {irqbalance}",
}


def of_variable(name: str) -> str:
    """What to say of a variable that is of another program; empty for one of a script."""
    return next((said for begins, said in _VARIABLES.items() if name.startswith(begins)), "")


# Programs that set nothing of a network, whatever their arguments are.
_HARMLESS = """
: [ [[ action add-apt-repository alias apk apt apt-cache apt-get apt-key aptitude awk basename bc break cat cd chattr
certtool chgrp chmod chown clear cmp command continue cp curl cut date declare depmod df dialog diff dig dirname dmesg
dmidecode dnf dpkg dracut du echo egrep emerge env ethstatus exit export expr failure false fgrep file find findmnt
fold free fuser gawk getconf getent getopt getopts git grep groupadd gunzip gzip hash head help hostname hwloc-ls id
ifstat info install iostat ip6tables-legacy iperf iperf3 journalctl jq kill ldconfig let ln local locale locate log
log_daemon_msg log_end_msg logger logout logrotate ls lsb_release lsblk lscpu lshw lsmod lsof lspci lsusb mail make
man mapfile microdnf mkdir mkfifo mktemp modinfo more mpstat mv nala nano netperf netstat notify-send nproc nslookup
numastat od openssl opkg pacman passwd paste patch perl pgrep pidof ping ping6 pip pip3 popd printenv printf ps pushd
pwd python python3 read readarray readlink readonly realpath renice restorecon return rev rm rmdir rpm ruby sar screen
sed select semanage seq sestatus set setcap setenforce setfacl sha256sum shift shopt sleep sort split ss stat strings
stty su success sync systemd-detect-virt tac tail tar tcpdump tdnf test tmux top touch tput tr traceroute trap true
tty type typeset udevadm umask unalias uname uniq unset unzip update-initramfs useradd usermod vi vim vmstat wait wall
watch wc wget which whiptail who whoami whois xz yes yum zcat zip zypper
"""
HARMLESS = frozenset(_HARMLESS.split())

# Files of other programs in which guides set limits, power saving, services and the kernel command line.
_FILES = re.compile(
    r"^/etc/(security/|pam\.d/|systemd/[\w-]+\.conf(\.d/|$)|systemd/(system|user)\.conf|default/|sysconfig/(?!network|modules)"
    r"|profile(\.d/|$)|environment$|grub|fstab$|irqbalance|ulogd|selinux/|resolv\.conf|hosts$|dracut|docker/|containerd/"
    r"|containers/|ssh/|ntp\.conf|chrony|logrotate|rsyslog|nginx/|haproxy/|sudoers|yum|apt/|cpupower|audit/|polkit-1/"
    r"|ufw/|iptables/|nftables)"
)


# What somebody types at the prompt of a switch or router, which has a system of its own.
_SWITCHES = re.compile(
    r"/(?:interface|ipv?6?|system|queue|routing|tool)(?:/|\s+)[a-z][\w -]*\s+\S.*"
    r"|set\s+(?:interfaces|protocols|chassis|class-of-service|vlans|policy-options)\s+\S.*"
    r"|interface\s+(?:\w*ethernet\s?\d[\w/.-]*|(?:gi|te|eth|po)\d+/\d[\w/.-]*|(?:port-channel|vlan)\s?\d+)",
    re.IGNORECASE,
)


def of_a_switch(text: str) -> bool:
    """Whether a line is a command of a switch or router."""
    return _SWITCHES.fullmatch(text) is not None


def is_of_another(path: str) -> bool:
    """Whether a file is the configuration of another program, which takes no lines of any form that is read here."""
    return _FILES.match(path) is not None


# Programs that run another one, and how many of their own words stand before it.
WRAPPERS: Mapping[str, int] = {
    **dict.fromkeys(
        ("sudo", "exec", "nohup", "time", "nice", "ionice", "command", "builtin", "doas", "env", "setsid", "runuser"), 0
    ),
    **dict.fromkeys(
        ("busybox", "chronic", "stdbuf", "unbuffer", "then", "do", "else", "logsave", "xargs", "parallel"), 0
    ),
    "timeout": 1,
    "flock": 1,
    "chroot": 1,
    "cloud-init-per": 2,
}
# Options of wrappers that have a word of their own.
WRAPPER_OPTIONS = frozenset(("-u", "-g", "-n", "-c", "-I", "-i", "-t", "-L", "-P", "-p", "-w", "-C", "-k", "-s"))
