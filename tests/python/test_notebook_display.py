"""Values that end a cell of a notebook show themselves: figures as pictures, results as tables."""

import tailrace
from conftest import SMALL

PNG = b"\x89PNG\r\n\x1a\n"


def test_figures_of_runs_comparisons_and_sweeps_are_pictures(small):
    both = tailrace.compare({"one": small, "other": small})
    swept = tailrace.sweep(SMALL, {"link.bottleneck.rate": ["1 Mbit/s", "2 Mbit/s"]}, runs=2)
    for figure in (
        small.plot_queue(),
        both.plot("cwnd"),
        swept.plot("goodput", against="link.bottleneck.rate"),
    ):
        drawn = figure._repr_png_()
        assert drawn.startswith(PNG)
        assert drawn == figure._repr_png_()
        # Neither the program that drew it nor its version, so that equal data are equal bytes.
        assert b"Software" not in drawn


def test_a_search_is_the_table_of_its_best_trials():
    found = tailrace.search(
        SMALL,
        {"link.bottleneck.rate": ["1 Mbit/s", "2 Mbit/s"]},
        maximize="tcp.goodput",
        sampler="random",
        trials=2,
        runs=1,
    )
    assert "<table>" in found._repr_html_() and "goodput" in found._repr_html_()
