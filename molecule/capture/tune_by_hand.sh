#!/bin/sh
# Tunes the router in eight ways that people use, by raw commands and files only, and runs what a boot would run.
set -eu
# 1. rc.local, with a script that it calls.
cat > /etc/rc.local <<'END'
#!/bin/sh
if [ -e /sys/class/net/igb0 ]; then
  ethtool -G igb0 rx 1024
fi
/usr/local/sbin/more-tuning
exit 0
END
# 2. A script of the administrator.
cat > /usr/local/sbin/more-tuning <<'END'
#!/bin/sh
ethtool -K igb1 gro off
ip link set dev e1000e0 txqueuelen 5000
END
chmod 755 /etc/rc.local /usr/local/sbin/more-tuning
chgrp adm /usr/local/sbin/more-tuning
# 3. sysctl.d, and 4. sysctl.conf.
# Edited on Windows.
printf 'net.core.rmem_max = 33554432\r\n' > /etc/sysctl.d/60-by-hand.conf
echo 'net.core.netdev_max_backlog = 5000' >> /etc/sysctl.conf
# 5. A rule of udev.
echo 'ACTION=="add", SUBSYSTEM=="net", KERNEL=="igb1", RUN+="/sbin/ethtool -G igb1 tx 512"' > /etc/udev/rules.d/60-by-hand.rules
# 6. A unit of systemd.
cat > /etc/systemd/system/by-hand.service <<'END'
[Unit]
After=network.target
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/sbin/ethtool -C e1000e0 rx-usecs 50
[Install]
WantedBy=multi-user.target
END
mkdir -p /etc/cron.d
# 7. A crontab.
echo '@reboot root /sbin/ethtool -G vmxnet0 rx 2048' > /etc/cron.d/by-hand
# 8. Only in force, in no file at all.
sysctl -qw net.core.wmem_max=33554432
systemctl daemon-reload
systemctl enable --quiet by-hand.service
/etc/rc.local
sysctl -qw net.core.rmem_max=33554432
sysctl -qw net.core.netdev_max_backlog=5000
ethtool -G igb1 tx 512
systemctl start by-hand.service
ethtool -G vmxnet0 rx 2048
sha256sum /etc/rc.local /usr/local/sbin/more-tuning /etc/sysctl.d/60-by-hand.conf /etc/sysctl.conf \
  /etc/udev/rules.d/60-by-hand.rules /etc/systemd/system/by-hand.service /etc/cron.d/by-hand > /root/files-by-hand
stat -c '%a %u %g %n' /etc/rc.local /usr/local/sbin/more-tuning > /root/rights-by-hand
