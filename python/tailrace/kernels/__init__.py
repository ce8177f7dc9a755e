"""Linux kernels that hosts of a scenario can run: where they are, how they are built, whether this machine can."""

from tailrace.kernels.confinement import trust_programs
from tailrace.kernels.kernel_store import Kernel, find

__all__ = ["Kernel", "find", "trust_programs"]
