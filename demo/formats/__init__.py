"""The file formats of conversations. Each is a module with `recognises(data)` and `parse(data, source)`.

`parse` raises InvalidInput, whose problems name the fields by dotted paths.
"""
