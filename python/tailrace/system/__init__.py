"""The machine below: files and folders that appear whole, what is ours in them, memory, diagnosis."""
