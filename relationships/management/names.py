from argparse import ArgumentTypeError

from relationships.services.limits import name_fault


def written_name(text: str) -> str:
    """Of a project or a key, for argparse; with what the API would refuse it refused. Raises ArgumentTypeError."""
    name = text.strip()
    fault = name_fault(name) if name else "is empty"
    if not fault and any("\ud800" <= sign <= "\udfff" for sign in name):
        fault = "is not UTF-8"
    if fault:
        raise ArgumentTypeError(f"the name {fault}")
    return name
