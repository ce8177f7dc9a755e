"""Scenarios: reading, building in code, plug-in algorithms. How do I ask?"""
