"""What a release needs beside the build: one version and one address in all places, and a changelog for readers."""
