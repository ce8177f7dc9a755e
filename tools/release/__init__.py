"""Checks of a release beside the build: one version and one address in all places, and a changelog for readers."""
