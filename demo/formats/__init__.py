"""The kinds of file a conversation can come in. Each is one module: `recognises(data)` and `parse(data, source)`.

`parse` raises InvalidInput, whose problems name the fields by dotted path.
"""
