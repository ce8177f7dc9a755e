"""The comparison of links that fail: what manages addresses for a kernel and for simulated hosts."""

from validation.link_failures import Case


def test_what_manages_addresses_removes_the_first_one_on_both_sides():
    kernel, simulated = (Case("managed, the first", 2).text(side) for side in ("6.12", "linux_6_12"))
    for what in ("delete id 0 10.0.0.9", "delete id 1", "add 10.0.0.9 dev eth0 signal"):
        assert f"ip mptcp endpoint {what}" in kernel
    assert 'endpoints = "2 signal,' in kernel
    # Simulated hosts remove the addresses of their endpoints by themselves.
    assert 'endpoints = "1 signal,2 signal,' in simulated
    assert "ip mptcp" not in simulated
    assert 'interface = "1..3"' in kernel and 'interface = "1..3"' in simulated


def test_without_a_manager_nothing_is_removed():
    for side in ("6.12", "linux_6_12"):
        text = Case("both", 2).text(side)
        assert "ip mptcp" not in text
        assert 'endpoints = "2 signal,' in text
