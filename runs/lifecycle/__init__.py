"""The run's life: how it is accepted, moved from state to state, and ended. Knows no HTTP, no worker and no job.

`submit` and `admission` accept; `transitions` holds one function per edge; `finalize` ends every run in the same three
steps by an `outcome`; `queue` carries the hint that there is work.
"""
