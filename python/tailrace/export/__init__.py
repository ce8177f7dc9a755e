"""Results in the formats of other tools: CSV, flent's data files, ns-3's FlowMonitor, qlog.

`run_source` finds a run in a folder of any kind. Each further file is one format: `csv_tables`, `flent`,
`flowmonitor`, `mahimahi`, `qlog`. A format is a function from a run to the content of a file. docs/guides/export.md
names the limits of each format.
"""
