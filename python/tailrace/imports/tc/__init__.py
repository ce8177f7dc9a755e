"""What tc takes and prints: disciplines and classes of a machine's devices, as links of a scenario."""

from tailrace.imports.tc.scenario import read

__all__ = ["read"]
