"""Services of the operating system: atomic files and folders, ownership of results, locks, memory limit, diagnosis."""
