"""What the figures were measured on."""

import os
import platform

import psutil
from django.conf import settings

from benchmarks.house import server_version
from benchmarks.processor import processor


def describe_machine() -> dict[str, str]:
    loads = " ".join(f"{load:.2f}" for load in os.getloadavg())
    return {
        "cores": str(os.cpu_count()),
        "processor": processor(),
        "memory": f"{psutil.virtual_memory().total / 2**30:.0f} GB",
        "system": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
        "PostgreSQL": f"{server_version()}, embedded",
        "RAPPORT_WORKERS": str(settings.Q_CLUSTER["workers"]),
        "load average at the end": loads,
    }
