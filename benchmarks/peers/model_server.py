"""The model of everybody: OpenAI's chat completions and embeddings on loopback, in a process of its own.

python -m benchmarks.peers.model_server     prints its address, ends with its parent's SIGTERM
"""
