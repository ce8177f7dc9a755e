"""Runs on threads: tasks, streamed tables, captures, progress, identity of a run. How does it run?"""
