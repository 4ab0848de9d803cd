"""One program per generator: each takes the generated client through a whole run."""
