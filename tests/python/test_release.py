"""What readers of a release rely on: one version everywhere, and a changelog whose sections are short."""

import shutil

import pytest

from release import check, places


def test_all_places_name_one_version_and_one_repository():
    assert {place.value() for place in places.VERSION} == {places.VERSION[0].value()}
    assert {place.value() for place in places.REPOSITORY} == {places.REPOSITORY[0].value()}


def test_fragments_have_a_kind_and_a_line_of_text():
    assert check.fragment_faults() == []


@pytest.fixture
def tree(tmp_path):
    for place in [*places.VERSION, *places.REPOSITORY]:
        (tmp_path / place.file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(places.ROOT / place.file, tmp_path / place.file)
    (tmp_path / "changes").mkdir()
    (tmp_path / "CHANGELOG.md").write_text(
        "# Changelog\n\n## 9.8.7 (2030-01-01)\n\n### Added\n\n- One.\n", encoding="utf-8"
    )
    for place in places.VERSION:
        place.write("9.8.7", tmp_path)
    return tmp_path


def test_a_version_is_set_in_all_places(tree):
    assert {place.value(tree) for place in places.VERSION} == {"9.8.7"}
    assert check.faults(tree) == []


def test_what_stands_in_the_way_of_a_release_is_said(tree):
    places.VERSION[1].write("9.8.6", tree)
    (tree / "changes" / "+x.added.md").write_text("Something.", encoding="utf-8")
    text = "## 9.8.7 (2030-01-01)\n\n### Added\n" + "\n- x." * 16 + "\n"
    (tree / "CHANGELOG.md").write_text(text, encoding="utf-8")
    version, fragment, length = check.faults(tree)
    assert "CITATION.cff: version 9.8.6" in version
    assert "+x.added.md" in fragment
    assert "'Added' of 9.8.7 has 16 lines" in length
    assert "python -m release repository URL" in " ".join(check.faults(tree, published=True))


def test_fragments_with_a_wrong_name_or_text_are_said(tree):
    (tree / "changes" / "policer.md").write_text("- A bullet.", encoding="utf-8")
    assert len(check.fragment_faults(tree)) == 2
