from django.db import models

_PLAIN = (
    r"lower(regexp_replace(normalize({x}, NFKD),"
    r" '[\u0300-\u036f"
    r"\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u093c]', '', 'g'))"
)
_UMLAUTS = "replace(replace(replace(lower(normalize({x}, NFKC)), 'ä', 'ae'), 'ö', 'oe'), 'ü', 'ue')"
# Digits: Arabic, Persian, of eleven scripts of India and Sri Lanka, Thai, Lao, Tibetan, Myanmar, Khmer.
_ZEROS = (0x660, 0x6F0, *range(0x966, 0xDE7, 0x80), 0xE50, 0xED0, 0xF20, 0x1040, 0x17E0)
_DIGITS = "".join(chr(zero + digit) for zero in _ZEROS for digit in range(10))
_PLAIN_DIGITS = "0123456789" * len(_ZEROS)
_LETTERS = (
    f"replace(replace(translate({{x}}, 'łøđðıىة{_DIGITS}', 'loddiيه{_PLAIN_DIGITS}'), 'æ', 'ae'), 'ß', 'ss')"
)


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


class PlainDigits(models.Func):
    """A text with the digits of other scripts as ASCII digits."""

    template = f"translate(%(expressions)s, '{_DIGITS}', '{_PLAIN_DIGITS}')"
    output_field = models.TextField()


class DigitsFromTheEnd(models.Func):
    """The numbers of a text without separators, reversed, so that a telephone number is found whatever its prefix; ''
    if none has seven digits."""

    template = (
        r"CASE WHEN %(expressions)s ~ '\d(\D{0,3}\d){6}' THEN reverse(regexp_replace(regexp_replace(%(expressions)s,"
        r" '(\d)[^[:alnum:]]{1,3}(?=\d)', '\1', 'g'), '\D+', ' ', 'g')) ELSE '' END"
    )
    output_field = models.TextField()
