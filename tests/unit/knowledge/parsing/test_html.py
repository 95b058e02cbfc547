import pytest

from knowledge.parsing.base import Limits, Unreadable
from knowledge.parsing.html import parse_html

LIMITS = Limits(pages=1, characters=10_000)


def read(content: str | bytes) -> list[tuple[str, str]]:
    raw = content.encode() if isinstance(content, str) else content
    return [(block.heading, block.text) for block in parse_html(raw, LIMITS)]


def test_only_visible_text_of_a_page_is_read() -> None:
    page = """<!doctype html><html><head><title>Shop</title><style>p { color: red }</style></head><body>
      <script>alert("no")</script><h1>Prices <em>2026</em></h1><p>A coffee is<br>two   <b>euros</b>.</p>
      <table><tr><td>Tea</td><td>1.50</td></tr></table><h2>Cakes</h2><ul><li>Carrot</li><li>Apple</li></ul>
      <!-- a secret --><p hidden>Later</p>after</body></html>"""

    assert read(page) == [
        ("Prices 2026", "Prices 2026"),
        ("Prices 2026", "A coffee is\ntwo euros."),
        ("Prices 2026", "Tea | 1.50"),
        ("Prices 2026 > Cakes", "Cakes"),
        ("Prices 2026 > Cakes", "Carrot"),
        ("Prices 2026 > Cakes", "Apple"),
        ("Prices 2026 > Cakes", "Later"),
        ("Prices 2026 > Cakes", "after"),
    ]


def test_a_row_of_a_table_stays_together_unless_it_lays_out_a_page() -> None:
    table = "<table><tr><th>Treatment</th><th><p>Price</p></th></tr><tr><td>Mud<br>bath</td><td></td><td>85 €</td></tr></table>"

    assert read(table) == [("", "Treatment | Price"), ("", "Mud bath | 85 €")]
    assert read(
        "<table><tr><td><h1>Shop</h1></td></tr><tr><td><p>Welcome.</p>Hi<p></td><td>Menu</td></tr></table>"
    ) == [
        ("Shop", "Shop"),
        ("Shop", "Welcome."),
        ("Shop", "Hi"),
        ("Shop", "Menu"),
    ]
    assert read("<table><tr>Loose<td>Name<div>Bob</div></td><td>1<hr>2</td>text</tr></table>") == [
        ("", "Loose | Name Bob | 1 2 | text")
    ]
    assert read(f"<table><tr><td>Around{table}</td></tr></table>") == [("", "Around"), *read(table)]


ENCODED = {
    "UTF-8 that does not say so": "<p>שלום 日本</p>".encode(),
    "its own word for it": '<meta charset="iso-8859-8"><p>שלום 日本</p>'.encode(
        "iso-8859-8", "xmlcharrefreplace"
    ),
    "UTF-16": "<p>שלום 日本</p>".encode("utf-16"),
    "entities": b"<p>&#1513;&#1500;&#1493;&#1501; &#x65E5;&#x672C;</p>",
}


@pytest.mark.parametrize("content", ENCODED.values(), ids=ENCODED)
def test_any_encoding_is_read(content: bytes) -> None:
    assert read(content) == [("", "שלום 日本")]


def test_broken_html_is_mended() -> None:
    assert read("<p>one<p>two</div><b>!</i>") == [("", "one"), ("", "two!")]


def test_a_nul_byte_and_deep_nesting_break_nothing() -> None:
    assert read(b"<p>a\x00b</p>") == [("", "a\ufffdb")]
    assert ("", "before") in read("<p>before</p>" + "<div>" * 100_000 + "deep")


def test_a_page_of_nothing_has_no_text() -> None:
    assert read("<p></p><script>1</script>") == []
    with pytest.raises(Unreadable, match="no_text"):
        read("<!-- -->")


def test_nothing_is_fetched_for_a_page() -> None:
    page = (
        '<!DOCTYPE html SYSTEM "file:///etc/passwd" [<!ENTITY x SYSTEM "file:///etc/passwd">]><p>a &x; b</p>'
    )

    assert "root:" not in str(read(page))
