"""OpenAI's Responses protocol: the same replies as by chat completions, with other words on the wire."""
