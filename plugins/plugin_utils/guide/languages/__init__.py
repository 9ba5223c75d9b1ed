# SPDX-License-Identifier: GPL-3.0-or-later
"""Languages that hold settings or commands: YAML, Python, Nix, Puppet, Chef, Terraform, Makefiles, templates."""
