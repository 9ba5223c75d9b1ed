#!/bin/bash
sudo tee /etc/systemd/system-sleep/wol >/dev/null <<EOF
#!/bin/sh
IF="${IFACE}"
ETHTOOL="\$(command -v ethtool || echo /usr/sbin/ethtool)"
case "\$1" in
  pre)
    [ -x "\$ETHTOOL" ] && "\$ETHTOOL" -s "\$IF" wol g || true
    ;;
esac
EOF
