"""What is written as TOML reads back as the same."""

import tomllib

import pytest

from tailrace.text import toml_text


def test_a_document_reads_back_as_it_was():
    values = {
        "name": 'quote " backslash \\ tab \t newline \n delete \x7f ü',
        "runs": 3,
        "on": True,
        "share": 0.1,
        "tiny": 1e-300,
        "link": [{"between": ["a", "b[*]"], "queue": {"kind": "red", "ecn": False}}, {}],
        "sweep": {"link.b.queue": ["red", {"kind": "codel"}]},
    }
    assert tomllib.loads(toml_text.document(values)) == values


def test_what_toml_cannot_say_is_refused():
    with pytest.raises(TypeError, match="NoneType"):
        toml_text.document({"x": None})
