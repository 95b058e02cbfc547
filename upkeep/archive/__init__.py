"""The document that holds a whole relationship: what it consists of, how it is read, and what must fit together."""
