"""`tailrace import csv` and `cdf`: measurements of links, and distributions of flow sizes."""

import pytest

import tailrace
from tailrace.errors import UsageError
from tailrace.imports import link_trace, size_cdf
from tailrace.imports.input_file import InputFile


def file(text, name="measured.csv"):
    return InputFile(name, text.encode())


def trace(text):
    """The draft of a table, and the rows of its faults by name."""
    draft = link_trace.read([file(text)])
    rows = {each["name"]: each["rows"].value for each in draft.tables["fault"]}
    return draft, rows


def refused(read, text, name="measured.csv"):
    with pytest.raises(UsageError) as error:
        read([file(text, name)])
    return str(error.value)


def test_a_table_with_units_is_a_trace_and_rate_0_an_outage():
    draft, rows = trace(
        "time [s],rate [Mbit/s],delay (ms),loss_%,note\n0,120.5,20,0,a\n1,0,20,0,b\n2.5,50,80,1.5,c\n"
    )
    assert rows == {
        "measurements": "time [s], rate [Mbit/s], delay [ms], loss; 0, 120.5, 20, 0; 1, 0, 20, 0; 2.5, 50, 80, 0.015"
    }
    assert draft.top["duration"].value == "5 s"
    assert draft.tables["link"][0]["rate"].value == "85.25 Mbit/s"
    result = tailrace.run(draft.scenario())
    # The outage of 1.5 s at 120.5 Mbit/s: what arrives is bounded by the trace.
    download = result.aggregate["groups"]["download"]["received_bytes"]["mean"] * 8
    assert 0.03e9 < download < 120.5e6 * 1 + 50e6 * 2.5


def test_decimal_commas_semicolons_and_missing_cells():
    _, rows = trace(
        "# by hand\nZeit;time [s];download [Mbit/s];upload [kbit/s];rtt [ms]\n;0;10,5;800;40\n;1;-;900;nan\n;2;20;;60\n"
    )
    assert rows["measurements-down"] == "time [s], rate [Mbit/s], delay [ms]; 0, 10.5, 20; 2, 20, 30"
    assert (
        rows["measurements-up"] == "time [s], rate [Mbit/s], delay [ms]; 0, 0.8, 20; 1, 0.9, 20; 2, 0.9, 30"
    )


def test_times_are_dates_unix_times_or_have_a_unit():
    same = "time [s], rate [Mbit/s]; 0, 1; 0.5, 2"
    for times in (
        ("time [ms]", "100", "600"),
        ("timestamp", "1705744800616897349", "1705744801116897349"),
        ("timestamp", "1705744800.5", "1705744801"),
        ("date", "2026-01-31T12:00:00.5+01:00", "2026-01-31T12:00:01+01:00"),
    ):
        _, rows = trace(f"{times[0]},rate [Mbit/s]\n{times[1]},1\n{times[2]},2\n")
        assert rows["measurements"] == same, times


def test_lens_packets_are_put_together():
    draft, rows = trace(
        "timestamp,rtt,uplink,downlink\n"
        "1705744800600000000,0,0,-1\n1705744800620000000,120,72,48\n1705744800640000000,100,62,38\n"
        "1705744800660000000,80,42,38\n1705744800700000000,-1,0,0\n1705744800710000000,60,30,30\n"
    )
    # Of four packets one was lost on the way down; of two one, somewhere.
    assert rows["measurements-down"] == "time [s], delay [ms], loss; 0, 50, 0.25; 0.1, 30, 0.25"
    assert rows["measurements-up"] == "time [s], delay [ms], loss; 0, 50, 0; 0.1, 30, 0.25"
    assert "no rates" in draft.tables["link"][0]["rate"].comment
    _, rows = trace("timestamp,rtt\n1705744800.533641,91.8\n1705744801.55492,96\n")
    assert rows == {"measurements": "time [s], delay [ms], loss; 0, 45.9, 0; 1, 48, 0"}


def test_known_data_sets_are_read_by_their_columns():
    draft, rows = trace(
        "time,throughput,speed,latitude,longtitu,area_type\n2023-04-04 10:07:13 CDT,81.4,2,44,-93,suburban\n"
        "2023-04-04 10:07:14 CDT,0,2,44,-93,suburban\n2023-04-04 12:07:15 CDT,85.9,2,44,-93,rural\n"
    )
    assert rows == {"measurements-down": "time [s], rate [Mbit/s]; 0, 81.4; 1, 0"}
    assert [each.why for each in draft.omissions] == [
        "1 more recordings with pauses between: the longest is read"
    ]
    draft, rows = trace(
        "run_num,seq_num,nrStatus,Throughput,mobility_mode\n1,1,CONNECTED,1200,driving\n1,2,NONE,20,driving\n2,1,NONE,5,walking\n"
    )
    assert rows == {"measurements-down": "time [s], rate [Mbit/s]; 0, 1200; 1, 20"}
    assert "run 1 is read" in draft.omissions[0].why
    _, rows = trace(
        "Timestamp,Longitude,DL_bitrate,UL_bitrate,PINGAVG,PINGLOSS\n2019.12.14_10.16.30,-8,2000,30,45,2\n"
        "2019.12.14_10.16.30,-8,3000,50,-,-\n2019.12.14_10.16.31,-8,45000,120,-,-\n"
    )
    head = "time [s], rate [Mbit/s], delay [ms], loss; "
    assert rows["measurements-down"] == head + "0, 2.5, 22.5, 0.01; 1, 45, 22.5, 0.01"
    assert rows["measurements-up"] == head + "0, 0.04, 22.5, 0.01; 1, 0.12, 22.5, 0.01"


def test_long_tables_are_files_beside_the_scenario(tmp_path):
    rows = "".join(f"{i},{i % 7 + 1}\n" for i in range(200))
    draft = link_trace.read([file(f"time [s],rate [Mbit/s]\n{rows}")])
    draft.write(tmp_path / "long.toml")
    assert (tmp_path / "measured-link.csv").read_text().splitlines()[:2] == [
        "time [s], rate [Mbit/s]",
        "0, 1",
    ]
    assert tailrace.Scenario.of(tmp_path / "long.toml").duration_s == 120
    assert "raise `duration`" in draft.omissions[0].why


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nothing\n", "measured.csv:1: the first row 'nothing' has no commas"),
        ("a,rate [Mbit/s]\n1,2\n", "measured.csv:1: no column is a time"),
        ("time [s],b\n1,2\n", "measured.csv:1: no column is a rate"),
        ("time [s],rate\n1,2\n", "write it into the first row, as in rate [Mbit/s]"),
        ("time [s],rate [Mbits]\n1,2\n", "did you mean mbit/s?"),
        ("time,rate [Mbit/s]\n1,2\n", "measured.csv:2: the time 1 has no unit"),
        ("time [s],rate [Mbit/s]\n1,x\n", "measured.csv:2: 'x' in the column 'rate [Mbit/s]' is no number"),
        ("time [s],rate [Mbit/s]\n1,-2\n", "measured.csv:2: -2 in the column"),
        ("time [s],rate [Mbit/s]\n1,2\n1\n", "measured.csv:3: has 1 cells"),
        ("time [s],rate [Mbit/s]\n2,2\n1,3\n", "measured.csv:3: its time is before"),
        ("time [s],loss\n0,5\n", "name the column loss [%]"),
        ("time [s],rate [Mbit/s]\n", "no rows below"),
        ("time [s],rate [Mbit/s]\nsoon,1\n", "measured.csv:2: 'soon' is no time"),
    ],
)
def test_tables_that_cannot_be_read_say_where_and_what_to_do(text, said):
    assert said in refused(link_trace.read, text)


def sizes(text):
    draft = size_cdf.read([file(text, "sizes.txt")])
    return draft.tables["flow"][0]["app"]["size"].value, draft


def test_distributions_of_all_forms_are_read():
    same = "cdf(0 B 0; 1000 B 0.5; 2000 B 1)"
    for text in (
        "0 0\n1000 0.5\n2000 1\n",  # htsim, ns-3
        "0,0\n1000,0.5\n2000,1\n",  # Opera
        "size,cdf\n0;0\n1000;0.5\n2000;1\n",
        "0 1 0\n1000 1 0.5\n2000 1 1\n",  # ns-2
        "# of a cluster\n0 0\n1000 50\n2000 100\n",  # HPCC
        "1000\n0 0\n1000 0.5\n2000 1\n",
        "0 0\n1000 0.5\n2000 0.99999\n",
    ):
        assert sizes(text)[0] == same, text


def test_the_mean_in_the_first_line_says_whether_sizes_are_exact():
    found, draft = sizes("1500\n0 0\n1000 0.5\n2000 1\n")
    assert found == "cdf(0 B 0; 1000 B 0; 1000 B 0.5; 2000 B 0.5; 2000 B 1)"
    assert "Each size is had exactly" in draft.toml()
    found, draft = sizes("9999\n0 0\n1000 0.5\n2000 1\n")
    assert found == "cdf(0 B 0; 1000 B 0.5; 2000 B 1)"
    assert "9999, is not that of the points, 1000" in draft.omissions[0].why


def test_arrivals_of_a_distribution_run():
    draft = size_cdf.read(
        [file("10000 0.3\n20000 0.36\n15000 0.4\n".replace("15000 0.4", "30000 0.35\n40000 1"))]
    )
    assert "shares fall at 1 lines" in draft.omissions[0].why
    result = tailrace.run(draft.scenario())
    assert result.aggregate["groups"]["transfers"]["transfers"]["completed"]["mean"] > 1000


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("size cdf\n", "no lines with a size and a share"),
        ("0 0\n1000\n", "sizes.txt:2: '1000' is no size and share"),
        ("0 0\n2000 0.5\n1000 1\n", "sizes.txt:3: size 1000 comes after 2000: sort the lines"),
        ("0 0\n1000 0.5\n2000 0.1\n3000 1\n", "sizes.txt:3: share 0.1 comes after 0.5"),
        ("0 0\n1000 0.5\n", "sizes.txt:2: shares end at 1, or at 100, found 0.5 last"),
        ("0 0\n-1 0.5\n2 1\n", "sizes.txt:2: size -1"),
    ],
)
def test_distributions_that_cannot_be_read_say_where_and_what_to_do(text, said):
    assert said in refused(size_cdf.read, text, "sizes.txt")
