#!/bin/sh
# Ansible's inventory of the lab as it is now; Ansible wants it to be a program.
exec python3 "$(dirname "$0")/inventory.py" "$@"
