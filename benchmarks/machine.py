"""What the figures were measured on."""

import os
import platform
from pathlib import Path

import psutil

from benchmarks.house import server_version


def describe_machine() -> dict[str, str]:
    loads = " ".join(f"{load:.2f}" for load in os.getloadavg())
    return {
        "cores": str(os.cpu_count()),
        "processor": processor(),
        "memory": f"{psutil.virtual_memory().total / 2**30:.0f} GB",
        "system": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
        "PostgreSQL": f"{server_version()}, embedded",
        "load average at the end": loads,
    }


def processor() -> str:
    """Its name, as the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
