"""Results on disk and in memory: result, comparison, store of runs, resuming. What is kept?"""
