"""Makes the site from docs/: lays the pages out for Sphinx, and checks every link of what it built.

The pages stay plain Markdown whose links lead to files of this repository, so they can be read without the site. Here
links are turned to where the site has the same thing; one that leads nowhere ends the build with its file and line.
"""
