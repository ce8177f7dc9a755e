"""`tailrace import gml`, `graphml` and `sndlib`: networks as scenarios that run."""

import pytest

import tailrace
from tailrace.errors import UsageError
from tailrace.imports import gml, graphml, sndlib
from tailrace.imports.input_file import InputFile
from tailrace.imports.topology import great_circle

ZOO = """# by hand, in the form of the Internet Topology Zoo
Creator "test"
graph [
  directed 1
  label "Small Net"
  node [
    id 0
    label "New York"
    Longitude -74.00597
    Latitude 40.71427
    graphics [ x 1.0 y 2.0 ]
  ]
  node [ id 1 label "St. Polten" Longitude 15.63333 Latitude 48.2 ]
  node [ id 2 label "Z&#252;rich" Longitude 8.55 Latitude 47.36667 ]
  node [ id 3 label "Z&#252;rich" ]
  node [ id 4 label "alone" ]
  edge [ source 0 target 2 LinkSpeed "10" LinkSpeedUnits "G" LinkSpeedRaw 10000000000.0 weight 2.5 ]
  edge [ source 1 target 2 LinkLabel "OC-48" weight 1 ]
  edge [ source 2 target 3 LinkLabel "155 Mbps" delay "3 ms" weight 10 ]
  edge [ source 3 target 3 weight 1 ]
]
"""


def file(text, name):
    return InputFile(name, text.encode())


def links(draft):
    """Links between routers by name: rate, delay, cost."""
    between = [link for link in draft.tables["link"] if not link["name"].endswith("/access")]
    found = {}
    for link in between:
        cost = link.get("cost")
        found[link["name"]] = (link["rate"].value, link["delay"].value, cost.value if cost else None)
    return found


def test_a_network_of_the_topology_zoo_keeps_names_rates_and_distances():
    draft = gml.read([file(ZOO, "small.gml")])
    assert [each["name"] for each in draft.tables["router"]] == [
        "New York",
        "St Polten",
        "Zürich",
        "Zürich-2",
    ]
    # 6325 km and 537 km at 204.2 km a millisecond; weights times 1000, so that all of them are whole.
    assert links(draft) == {
        "New York-Zürich": ("10 Gbit/s", "30.97 ms", 2500),
        "St Polten-Zürich": ("2.48832 Gbit/s", "2.63 ms", 1000),
        "Zürich-Zürich-2": ("155 Mbit/s", "3 ms", 10000),
    }
    said = draft.toml()
    assert "small.gml:16: node alone has no link" in said
    assert "small.gml:20: the edge leads from 3 to itself" in said
    assert "'St. Polten' is St Polten" in said
    assert "LinkSpeedRaw 1e+10" in said
    result = tailrace.run(draft.scenario(), set={"duration": "3 s"})
    # The round trip of New York to the second Zürich, and 10 us to each host.
    rtt = result.aggregate["groups"]["ping"]["rtt_s"]["min"]["mean"]
    assert rtt == pytest.approx(2 * (30.97e-3 + 3e-3 + 20e-6), rel=1e-3)


def test_costs_decide_the_path():
    nodes = "".join(f'node [ id {i} label "n{i}" ] ' for i in range(3))
    edges = "edge [ source 0 target 1 weight 9 delay 1 ] "
    edges += "edge [ source 0 target 2 weight 2 delay 10 ] edge [ source 2 target 1 weight 2 delay 10 ]"
    draft = gml.read([file(f"graph [ {nodes} {edges} ]", "costs.gml")])
    assert [cost for _, _, cost in links(draft).values()] == [9, 2, 2]
    # The direct link costs 9, the way over n2 only 4, though it takes twenty times as long.
    ends = {"from": "n0/host", "to": "n1/host"}
    changes = {f"flow.{flow}.{end}": host for flow in ("transfer", "ping") for end, host in ends.items()}
    result = tailrace.run(draft.scenario(), set={"duration": "3 s", **changes})
    sent = {name: queue["enqueued_packets"]["mean"] for name, queue in result.aggregate["queues"].items()}
    assert sent["n0->n1"] == 0 < sent["n0->n2"]


def test_opposite_edges_of_a_directed_graph_are_one_link():
    text = """graph [ directed 1 node [ id 0 ] node [ id 1 ]
      edge [ source 0 target 1 bandwidth "10 Mbit/s" weight 3 ]
      edge [ source 1 target 0 bandwidth "2 Mbit/s" weight 5 ] ]"""
    (link,) = [each for each in gml.read([file(text, "two.gml")]).tables["link"] if each["name"] == "0-1"]
    assert (link["rate"].value, link["cost"].value) == ("10 Mbit/s", 3)
    assert {key: value.value for key, value in link["reverse"].items()} == {"rate": "2 Mbit/s", "cost": 5}


GRAPHML = """<?xml version="1.0" encoding="utf-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:y="http://www.yworks.com/xml/graphml">
  <key attr.name="Latitude" attr.type="double" for="node" id="d0"/>
  <key attr.name="Longitude" attr.type="double" for="node" id="d1"/>
  <key attr.name="label" attr.type="string" for="node" id="d2"/>
  <key attr.name="LinkSpeedRaw" attr.type="double" for="edge" id="d3"><default>1000000000</default></key>
  <graph edgedefault="undirected">
    <node id="0"><data key="d0">52.52</data><data key="d1">13.405</data><data key="d2">Berlin Mitte</data></node>
    <node id="1"><data key="d0">48.137</data><data key="d1">11.575</data>
      <data key="d9"><y:ShapeNode><y:NodeLabel>M&#252;nchen</y:NodeLabel></y:ShapeNode></data></node>
    <edge source="0" target="1"/>
    <edge source="1" target="0"><data key="d3">2.5E9</data></edge>
  </graph>
</graphml>
"""


def test_graphml_has_defaults_labels_of_yed_and_parallel_links():
    draft = graphml.read([file(GRAPHML, "two.graphml")])
    # 504 km.
    assert links(draft) == {
        "Berlin Mitte-München": ("1 Gbit/s", "2.47 ms", None),
        "München-Berlin Mitte": ("2.5 Gbit/s", "2.47 ms", None),
    }
    draft.scenario()


NATIVE = """?SNDlib native format; type: network; version: 1.0
# network polska

META (
  unit = MBITPERSEC
)
NODES (
  Gdansk ( 18.60 54.20 )
  Bydgoszcz ( 17.90 53.10 )
  Kolobrzeg ( 16.10 54.20 )
)
LINKS (
  L1 ( Gdansk Bydgoszcz ) 0.00 0.00 2.00 156.00 ( 155.00 156.00 622.00 468.00 )
  L2 ( Gdansk Kolobrzeg ) 155.00 0.00 1.00 272.00 ( )
)
DEMANDS (
  D1 ( Bydgoszcz Kolobrzeg ) 1 100.00 UNLIMITED
  D2 ( Kolobrzeg Gdansk ) 2 10.00 UNLIMITED
  D3 ( Gdansk Bydgoszcz ) 1 0.00 UNLIMITED
)
ADMISSIBLE_PATHS (
)
"""
XML = """<?xml version="1.0" encoding="ISO-8859-1"?>
<network xmlns="http://sndlib.zib.de/network" version="1.0">
 <meta><unit>MBITPERSEC</unit></meta>
 <networkStructure>
  <nodes coordinatesType="geographical">
   <node id="Gdansk"><coordinates><x>18.60</x><y>54.20</y></coordinates></node>
   <node id="Bydgoszcz"><coordinates><x>17.90</x><y>53.10</y></coordinates></node>
   <node id="Kolobrzeg"><coordinates><x>16.10</x><y>54.20</y></coordinates></node>
  </nodes>
  <links>
   <link id="L1"><source>Gdansk</source><target>Bydgoszcz</target><routingCost>2.0</routingCost>
    <additionalModules><addModule><capacity>155.0</capacity><cost>156.0</cost></addModule>
     <addModule><capacity>622.0</capacity><cost>468.0</cost></addModule></additionalModules></link>
   <link id="L2"><source>Gdansk</source><target>Kolobrzeg</target>
    <preInstalledModule><capacity>155.0</capacity><cost>0.0</cost></preInstalledModule><routingCost>1.0</routingCost></link>
  </links>
 </networkStructure>
 <demands>
  <demand id="D1"><source>Bydgoszcz</source><target>Kolobrzeg</target>
   <routingUnit>1</routingUnit><demandValue>100.0</demandValue></demand>
  <demand id="D2"><source>Kolobrzeg</source><target>Gdansk</target>
   <routingUnit>2</routingUnit><demandValue>10.0</demandValue></demand>
  <demand id="D3"><source>Gdansk</source><target>Bydgoszcz</target>
   <routingUnit>1</routingUnit><demandValue>0.0</demandValue></demand>
 </demands>
</network>
"""


@pytest.mark.parametrize(("text", "name"), [(NATIVE, "polska.txt"), (XML, "polska.xml")])
def test_sndlib_has_modules_costs_and_demands(text, name):
    draft = sndlib.read([file(text, name)])
    assert links(draft) == {
        "Gdansk-Bydgoszcz": ("622 Mbit/s", "640.1 us", 2),
        "Gdansk-Kolobrzeg": ("155 Mbit/s", "796.2 us", 1),
    }
    flows = {
        flow["name"]: (flow["from"], flow["to"], flow["app"]["rate"].value) for flow in draft.tables["flow"]
    }
    assert flows == {
        "D1": ("Bydgoszcz/host", "Kolobrzeg/host", "100 Mbit/s"),
        "D2": ("Kolobrzeg/host", "Gdansk/host", "20 Mbit/s"),
    }
    assert "1 demands of nothing" in draft.omissions[0].why
    result = tailrace.run(draft.scenario(), set={"duration": "500 ms", "warmup": "100 ms"})
    loads = {name: queue["utilization"]["mean"] for name, queue in result.aggregate["queues"].items()}
    assert loads["Gdansk->Kolobrzeg"] == pytest.approx(100 * 1278 / 1250 / 155, abs=0.05)


@pytest.mark.parametrize(
    ("read", "text", "said"),
    [
        (gml.read, "nothing", "has no value"),
        (gml.read, "Creator 1", "has no graph"),
        (gml.read, "graph [\nnode [ label 1 ]\n]", "x:2: this node has no id"),
        (
            gml.read,
            "graph [\nnode [ id 1 ]\nnode [ id 1 ]\nedge [ source 1 target 1 ] ]",
            "x:3: the node '1' is there twice",
        ),
        (gml.read, "graph [ node [ id 1 ]\nedge [ source 1 target 2 ] ]", "x:2: the edge leads to '2'"),
        (gml.read, "graph [ node [ id 1 ]\nedge [ source 1 ] ]", "x:2: this edge has no source or no target"),
        (gml.read, "graph [ node [ id 1 ] ]", "x: has no edges"),
        (gml.read, "graph [\nnode [ id 1 ", "x:2: this list is not closed"),
        (gml.read, "graph [ ] ]", "x:1: a ] closes nothing"),
        (gml.read, 'graph [\nlabel "open ]', "x:2: a quotation mark is not closed"),
        (gml.read, "graph " + "[ a " * 60, "lists within one another"),
        (graphml.read, "no xml", "x:1: is no XML"),
        (graphml.read, "<svg/>", "x:1: its outermost element is 'svg'"),
        (graphml.read, "<graphml/>", "x:1: has no graph"),
        (graphml.read, "<graphml><graph>\n<node/></graph></graphml>", "x:2: this node has no id"),
        (graphml.read, "<!DOCTYPE a [<!ENTITY b 'c'>]>\n<graphml/>", "x:1: has a document type"),
        (graphml.read, "<a>" * 200, "elements within one another"),
        (sndlib.read, "NODES (\n)", 'x:1: does not begin with "?SNDlib'),
        (sndlib.read, "?SNDlib native format; type: solution; version: 1.0", "x:1: is no network"),
        (
            sndlib.read,
            "?SNDlib native format; type: network; version: 1.0\nA ( 1 2 )",
            "x:2: 'A ( 1 2 )' is in no section",
        ),
        (
            sndlib.read,
            "?SNDlib native format; type: network; version: 1.0\nNODES (\nA ( 1 2 )",
            "x:2: this section is not closed",
        ),
        (sndlib.read, NATIVE.replace("( Gdansk Kolobrzeg )", "( Gdansk )", 1), "x:14: is no link"),
        (sndlib.read, NATIVE.replace("MBITPERSEC", "PARSECS"), "x:5: 'PARSECS' is no unit"),
        (
            sndlib.read,
            NATIVE.replace("( Bydgoszcz Kolobrzeg )", "( Bydgoszcz Gdynia )"),
            "x:17: the demand names 'Gdynia'",
        ),
        (sndlib.read, "<graphml/>", "x:1: is no network of SNDlib"),
    ],
)
def test_networks_that_cannot_be_read_say_where_and_what_to_do(read, text, said):
    with pytest.raises(UsageError) as error:
        read([file(text, "x")])
    assert said in str(error.value)


def test_great_circles_have_known_lengths():
    # A quarter of the Earth's circumference, and half of it.
    assert great_circle((0, 0), (90, 0)) == pytest.approx(10007.56, abs=0.01)
    assert great_circle((10, 0), (-170, 0)) == pytest.approx(20015.12, abs=0.01)
    assert great_circle((5, 5), (5, 5)) == 0
