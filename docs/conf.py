"""The site: Sphinx with MyST and Furo; `make site` lays the pages out and builds it (tools/site_docs)."""

import re
from importlib.metadata import version as installed

from sphinx.application import Sphinx

project = "Tailrace"
author = "the Tailrace contributors"
version = release = installed("tailrace")
language = "en"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
exclude_patterns = ["_build"]
# `--set` stays two hyphens, and quotation marks are those of the files that are shown.
smartquotes = False
nitpicky = True

# Links between pages name headings as GitHub does.
myst_heading_anchors = 6
# Places that are no headings, `<a id="...">`: tools/site_docs names them so, and checks them in what is built.
myst_url_schemes = {"http": None, "https": None, "mailto": None, "place": "{{path}}#{{fragment}}"}

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
napoleon_google_docstring = True
napoleon_numpy_docstring = False
# Other packages' pages lie on other hosts, which a build does not ask.
nitpick_ignore_regex = [
    (r"py:.*", r"(?!tailrace\b).*"),
    (
        r"py:.*",
        r"tailrace\.(build|study|data|stats|show|execution|scenario|text|system|cli)\..*",
    ),  # inner parts, which are not described
]

html_theme = "furo"
html_title = "Tailrace"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_last_updated_fmt = None
html_show_copyright = False
pygments_style = "friendly"
pygments_dark_style = "github-dark"
html_theme_options = {
    "navigation_with_keys": True,
    "light_css_variables": {"color-brand-primary": "#0b5d7a", "color-brand-content": "#0b6e91"},
    "dark_css_variables": {"color-brand-primary": "#63c3e6", "color-brand-content": "#7cccea"},
}
copybutton_exclude = ".linenos, .gp, .go"

_LITERAL = re.compile(r"``.+?``|`[^`]+`")
_MEANT = re.compile(r"(?<=\w)_(?!\w)|[*|](?=\S)")


def _as_rst(
    _app: Sphinx, _what: str, _name: str, _object: object, _options: object, lines: list[str]
) -> None:
    """Docstrings are written as Markdown: what stands between backticks is code, and nothing else is markup."""
    for number, line in enumerate(lines):
        if line.lstrip().startswith((">>>", "...")):
            continue
        parts, last = [], 0
        for found in _LITERAL.finditer(line):
            parts.append(_MEANT.sub(r"\\\g<0>", line[last : found.start()]))
            parts.append(f"``{found[0].strip('`')}``")
            last = found.end()
        lines[number] = "".join([*parts, _MEANT.sub(r"\\\g<0>", line[last:])])


def setup(app: Sphinx) -> None:
    """What Sphinx calls."""
    # Before napoleon, which has 500.
    app.connect("autodoc-process-docstring", _as_rst, priority=100)
