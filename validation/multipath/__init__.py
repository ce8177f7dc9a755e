"""Multipath TCP beside a Linux kernel in virtual time."""
