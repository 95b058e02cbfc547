from django.db import models

_PLAIN = (
    r"lower(regexp_replace(normalize({x}, NFKD),"
    r" '[\u0300-\u036f"
    r"\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u093c]', '', 'g'))"
)
_UMLAUTS = "replace(replace(replace(lower(normalize({x}, NFKC)), 'ä', 'ae'), 'ö', 'oe'), 'ü', 'ue')"
_LETTERS = "replace(replace(translate({x}, 'łøđðıىة', 'loddiيه'), 'æ', 'ae'), 'ß', 'ss')"


class Folded(models.Func):
    """`memory.words.fold` in SQL, followed by the text with its umlauts as two letters. Free for ASCII."""

    template = (
        "CASE WHEN octet_length(%(expressions)s) = char_length(%(expressions)s) THEN lower(%(expressions)s) ELSE "
        + _LETTERS.format(x=_PLAIN.format(x="%(expressions)s"))
        + " || ' ' || "
        + _UMLAUTS.format(x="%(expressions)s")
        + " END"
    )
    output_field = models.TextField()


class DigitsFromTheEnd(models.Func):
    """The numbers of a text without separators, reversed, so that a telephone number is found whatever its prefix; ''
    if none has seven digits."""

    template = (
        r"CASE WHEN %(expressions)s ~ '\d(\D{0,3}\d){6}' THEN reverse(regexp_replace(regexp_replace(%(expressions)s,"
        r" '(\d)[^[:alnum:]]{1,3}(?=\d)', '\1', 'g'), '\D+', ' ', 'g')) ELSE '' END"
    )
    output_field = models.TextField()
