"""Text as people read and write it: names, quantities with units, TOML."""
