"""Questions about runs that change nothing: lists, spending, live figures, and the invariants that must hold."""
