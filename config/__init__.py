"""Settings, URLs and processes of the whole service. Importing it limits numpy to one thread."""

import os

# Before numpy is loaded. Our products take microseconds, and numpy's threads would wait for each other by spinning,
# on cores that requests and the database need.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
