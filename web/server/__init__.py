"""The web server: granian speaks HTTP, threads run Django, and no slow client ever occupies a thread.

A request takes a thread when its body has arrived, and returns it when its answer is complete, however slowly the
client sends or reads. Requests wait in a line for each client, and the lines take turns
(docs/adr/0020-requests-wait-outside-the-threads.md).
"""
