"""The papers of this repository and their committed pages: what pages say is what `claims.toml` says."""

import json
import re

import pytest

from conftest import ROOT
from tailrace.reproduce import claims_file, front_page, judgement, pipeline

PAPERS = sorted(file.parent for file in (ROOT / "papers").glob("*/claims.toml"))
PAGES = ROOT / "docs" / "papers"


def test_the_five_papers_are_there():
    assert [folder.name for folder in PAPERS] == ["alenazi2019", "bedi2014", "cao2021", "felix", "kochher"]


@pytest.mark.parametrize("folder", PAPERS, ids=lambda folder: folder.name)
def test_a_paper_can_be_done(folder, tmp_path):
    work = pipeline.planned(folder, tmp_path, quick=True)
    assert work.runs > 0
    assert {claim.study for claim in work.paper.claims if claim.checks} <= set(work.paper.studies)


@pytest.mark.parametrize("folder", PAPERS, ids=lambda folder: folder.name)
def test_its_page_has_every_claim_and_verdict_that_is_expected(folder):
    paper = claims_file.load(folder)
    told = json.loads((PAGES / paper.id / front_page.VERDICTS).read_text(encoding="utf-8"))
    assert not told["quick"]
    committed = {(one["claim"], one["reading"]): one["verdict"] for one in told["verdicts"]}
    expected = {
        (claim.id, reading): outcome.value
        for claim in paper.claims
        for reading, outcome in claim.expected.outcomes.items()
    }
    assert committed == expected
    text = (PAGES / paper.id / pipeline.PAGE).read_text(encoding="utf-8")
    assert judgement.said(told["counts"]) in text
    for file in re.findall(r"\]\((figures/[^)]+)\)", text):
        assert (PAGES / paper.id / file).is_file(), file


def test_the_front_page_counts_them():
    findings = (ROOT / "papers" / pipeline.FINDINGS).read_text(encoding="utf-8")
    assert (PAGES / pipeline.PAGE).read_text(encoding="utf-8") == front_page.text(PAGES, findings)
