# SPDX-License-Identifier: GPL-3.0-or-later
"""Metrics for Prometheus: a program that hosts run by themselves, and what it writes."""
