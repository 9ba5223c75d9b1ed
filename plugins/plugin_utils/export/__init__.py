# SPDX-License-Identifier: GPL-3.0-or-later
"""Say the desired state in the words of other tools, for hosts that Ansible does not manage; one file per form."""
