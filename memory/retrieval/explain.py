from memory.retrieval.found import Hit


def reason_of(hit: Hit, ranker: str) -> str:
    """Why it was found, in one line: the score, and what it is made of, the most first. "best 0.93: text 0.45, ..."."""
    parts = sorted(hit.parts.items(), key=lambda part: (-abs(part[1]), part[0]))
    told = ", ".join(f"{name} {value:.3g}" for name, value in parts if round(value, 3))
    return f"{ranker} {hit.score:.3g}: {told}" if told else f"{ranker} {hit.score:.3g}"
