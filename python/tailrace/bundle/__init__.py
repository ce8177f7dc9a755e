"""Bundles: a study's scenarios, seeds, fingerprints and versions in one archive that another machine confirms."""
