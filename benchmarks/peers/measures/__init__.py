"""The six measures, each a module with one function: `measure(field) -> Section`."""
