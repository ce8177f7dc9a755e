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


def test_every_row_of_the_dfs_papers_table_1_is_judged_by_both_columns():
    rows = {
        claim.says.partition(" is ")[0]: claim
        for claim in claims_file.load(ROOT / "papers" / "bedi2014").claims
        if claim.place == "Table 1"
    }
    assert sorted(rows) == sorted(
        [
            "RED",
            "ARED",
            "BLUE",
            "AVQ",
            "FRED",
            "CHOKe",
            "xCHOKe",
            "RECHOKe",
            "RED-PD",
            "SFB",
            "StoRED",
            "NetFence",
            "CSFQ",
            "RRED",
            "CPR",
            "DFS",
        ]
    )
    for claim in rows.values():
        flood, share = (check.keys.table for check in claim.checks)
        assert ("at_least" in flood) == (" is robust" in claim.says)
        assert ("at_least" in share) == ("guarantees legitimate flows a fair share" in claim.says)


@pytest.mark.parametrize("paper, claim", [("bedi2014", "D02"), ("cao2021", "C07f"), ("alenazi2019", "C01b")])
def test_a_paper_that_contradicts_itself_is_said_to(paper, claim):
    told = json.loads((PAGES / paper / front_page.VERDICTS).read_text(encoding="utf-8"))
    (verdict,) = [one for one in told["verdicts"] if one["claim"] == claim]
    assert (verdict["verdict"], verdict["at_fault"]) == ("fails", "paper")
