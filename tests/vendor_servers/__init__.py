"""Local servers that speak the vendors' protocols, so that the real SDKs are tested over real HTTP.

    with GeminiServer() as server:
        server.push({"json": {"operations": []}}, {"status": 429, "retry_after": 3})
        provider = GeminiProvider(alias="gemini", options={"api_key": "k", "base_url": server.url})
        ...
        assert server.requests[0].body["generationConfig"]

See script.py for what can be pushed. `python -m tests.vendor_servers.gemini_server --port 8999` runs one
alone; its script is then controlled over HTTP (server.py).
"""
