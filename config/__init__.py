"""Settings, addresses and processes of the whole. Each process that imports it asks numpy for one thread."""

import os

# Before numpy is loaded: what is multiplied here takes microseconds, and its threads would wait for one another
# by spinning, on cores that requests and the database need.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
