COVERED_ELSEWHERE: dict[str, str] = {}
