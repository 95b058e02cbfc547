"""The file formats of conversations. Each is a module with `parse(data, source)`, which raises InvalidInput, whose
problems name the fields by dotted paths.
"""
