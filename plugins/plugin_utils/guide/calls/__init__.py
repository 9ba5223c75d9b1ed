# SPDX-License-Identifier: GPL-3.0-or-later
"""What one command or task sets: programs of the command line, and modules of Ansible and states of Salt."""
