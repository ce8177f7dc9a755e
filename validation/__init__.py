"""Comparison with ns-2 and a Linux kernel in virtual time: `python -m validation`, docs/explanation/validation.md."""
