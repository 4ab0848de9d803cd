"""A worker that waits for nothing."""

import time

time.sleep(600)
