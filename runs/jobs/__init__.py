"""The beat jobs: each one bounded pass that returns counts, safe to run twice at once, on many machines."""
