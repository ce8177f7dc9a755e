"""Results in the formats of other tools: CSV, flent's data files, ns-3's FlowMonitor, qlog.

`source` finds one run in whatever folder it is, `whole` lets files appear whole or not at all, `network` works out
addresses. Each further file is one format: `sheets` (CSV), `flent`, `flowmonitor`, `qlog`. A format is a function from
a run to the content of a file. What a format cannot say, docs/guides/export.md names.
"""
