from context.passages import part_shown, passage_in

LOG = "\n".join(f"12:{n % 60:02d} step {n} took {n % 7} ms, cache miss" for n in range(400))
ERROR = "Error: Cannot find module 'linux-x64' on node 18"


def passage(text: str, question: str, tokens: int = 100) -> str:
    return part_shown(text, passage_in(text, question, tokens=tokens))


def test_the_passage_with_the_rarest_words_of_the_question_is_shown() -> None:
    shown = passage(f"CI is red. {LOG}\n{ERROR}\n{LOG}", "Which module did the cache step not find?")

    assert ERROR in shown
    assert shown.startswith("[…] ") and shown.endswith(" […]")
    assert len(shown) < 450


def test_a_number_is_whole() -> None:
    assert "step 321 took" in passage(LOG, "What happened at step 321?")


def test_of_a_text_without_a_word_of_the_question_the_beginning_is_shown() -> None:
    shown = passage(f"CI is red. {LOG}", "Why so sad?")

    assert shown.startswith("CI is red. 12:00 step 0 took") and shown.endswith(" […]")


def test_the_end_is_shown_up_to_the_last_word() -> None:
    shown = passage(f"{LOG}\n{ERROR}", "Cannot find module?")

    assert shown.startswith("[…] ") and shown.endswith(ERROR)


def test_a_text_without_spaces_is_cut_anywhere() -> None:
    assert passage("很" * 3000, "很好").strip("很") == " […]"
