"""Statistics over runs: metrics, intervals, differences, steady state. What does it mean?"""
