"""The chat's HTML: everything is escaped, nothing turns into markup, marks stand where the quote stands."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from app import render, render_card, render_html
from pipelines.schema import Answer, Citation, Failure, Passage, Refusal, Understood

HOSTILE = "<script>alert(1)</script> $215 million and $3 *bold* _it_ [link](http://x) \\(x\\) ${1+1} {{y}} \"'&"


class Outline(HTMLParser):
    """The tags, attributes and text of a piece of HTML; unclosed or crossed tags are an error."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict]] = []
        self.text = ""
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def chips(outline: Outline) -> list[dict]:
    return [attributes for tag, attributes in outline.tags if tag == "button" and attributes.get("class") == "chip"]


def replied(text: str, clause, quote: str = "") -> Answer:
    document = clause.document
    cited = Citation(
        clause.id, clause.article, clause.term, clause.section, clause.issue, document.date, clause.page_start,
        quote or clause.text, True,
    )  # fmt: skip
    return Answer("q", text, (cited,), (Passage(clause, 1.0),), Understood("q"), 0.9, ms={"total": 9.6, "search": 4.0})


def test_every_word_of_a_question_is_text():
    outline = Outline(render_html.turn(HOSTILE, render_html.pending(HOSTILE)))
    assert outline.text.count(HOSTILE) == 2
    assert {tag for tag, _ in outline.tags} == {"article", "h2", "div", "p"}


def test_every_word_of_a_copy_is_text():
    outline = Outline(render_html.answer(render.reply(Refusal("q", HOSTILE, Understood("q"), 0.1, (HOSTILE,)))))
    assert HOSTILE in next(attributes["data-copy"] for _, attributes in outline.tags if "data-copy" in attributes)
    assert "script" not in {tag for tag, _ in outline.tags}


def test_every_word_of_an_answer_is_text(clause):
    outline = Outline(render_html.answer(render.reply(replied(HOSTILE, clause))))
    assert HOSTILE in outline.text


def test_every_word_of_a_clause_is_text(clause):
    from dataclasses import replace

    hostile = replace(clause, text=HOSTILE, title=HOSTILE, term=HOSTILE, path=(HOSTILE,), id='"><i>')
    (card,) = render.evidence(replied("x", hostile))
    outline = Outline(render_card.card(card))
    assert outline.text.count(HOSTILE) == 4
    assert "i" not in {tag for tag, _ in outline.tags}


def test_a_named_article_becomes_a_chip_that_names_its_card(clause):
    html = render_html.answer(render.reply(replied("See [B1.6.3], not [B9.9].", clause)))
    outline = Outline(html)
    (chip,) = chips(outline)
    assert chip == {"type": "button", "class": "chip", "data-clause": "b-1-6-3"}
    assert "not [B9.9]." in outline.text


def test_what_is_being_written_already_looks_like_chips(clause):
    text = "See [B1.6.3] and [APP C2], but [sic]."
    outline = Outline(render_html.pending(text))
    assert [attributes for tag, attributes in outline.tags if tag == "span"] == [{"class": "chip"}] * 2
    assert "[sic]" in outline.text


def test_an_answer_carries_its_cards_for_the_pane(clause):
    reply = replied("x", clause)
    html = render_html.answer(render.reply(reply), render.evidence(reply))
    assert '<div class="sources" hidden><article class="card paged" data-clause="b-1-6-3"' in html
    assert "1 source<" in html


def test_a_later_years_chip_is_not_that_of_the_law_in_force(clause):
    from dataclasses import replace

    from pipelines.schema import Status

    later = replace(clause, id="later", status=Status.FUTURE, year="2027")
    now, then = replied("One [B1.6.3]. Then [B1.6.3, 2027].", clause), replied("", later)
    both = replace(now, citations=now.citations + then.citations, passages=now.passages + then.passages)
    outline = Outline(render_html.answer(render.reply(both)))
    assert [chip["data-clause"] for chip in chips(outline)] == ["b-1-6-3", "later"]


def test_a_table_in_an_answer_is_a_table(clause):
    text = "As follows:\n\n| P | Pts |\n| --- | --- |\n| 1st | 25 |\n\n[B1.6.3]"
    html = render_html.answer(render.reply(replied(text, clause)))
    assert re.findall(r"<t[hd]>(.*?)</t[hd]>", html) == ["P", "Pts", "1st", "25"]
    assert 'class="chip"' in html


def test_a_card_says_where_its_clause_stands(clause):
    (card,) = render.evidence(replied("x", clause, "A fine may not exceed $215 million."))
    text = Outline(render_card.card(card)).text
    assert "B1.6.3 Fines" in text
    assert "changed in this issue" in text
    assert "B1 GENERALB1.6 Penalties" in text
    assert "Section B · issue 05 · 2026-02-27 · pages 12–13" in text
    assert "<mark>A fine may not exceed $215 million.</mark>" in render_card.card(card)


def test_two_quotes_of_one_clause_are_one_card(clause):
    from dataclasses import replace

    first = replied("x", clause, "A fine may not exceed")
    both = replace(
        first, citations=(first.citations[0], replace(first.citations[0], page=13, quote="It is due within"))
    )
    (card,) = render.evidence(both)
    assert [quote["page"] for quote in card["quotes"]] == [12, 13]
    assert render_card.card(card).count("<mark>") == 2


def test_an_unverified_quote_is_said_to_be_one(clause):
    from dataclasses import replace

    reply = replied("x", clause)
    (card,) = render.evidence(replace(reply, citations=(replace(reply.citations[0], verified=False),)))
    assert "quote not found on the page" in render_card.card(card)


def test_a_refusal_is_its_text_offers_headings_and_shows_no_source():
    refusal = Refusal("q", "Nothing on zebras.\nNearest headings: C2 <x>.", Understood("q"), 0.1, ("C2 <x>",))
    outline = Outline(render_html.answer(render.reply(refusal)))
    assert "Nothing on zebras.Nearest headingsC2 <x>" in outline.text
    (offered,) = [attributes for _, attributes in outline.tags if "data-find" in attributes]
    assert offered["data-find"] == "C2"
    assert render.evidence(refusal) == []


def test_a_failure_is_one_line_with_its_fix_and_folded_details():
    outline = Outline(render_html.answer(render.reply(Failure("q", "ModelTimeout", "no answer", "Wait"))))
    assert "No answer. Wait" in outline.text
    assert ("details", {}) in outline.tags


def test_a_failure_shows_what_was_found_before(clause):
    failure = Failure("q", "ModelTimeout", "no answer", "Wait", (Passage(clause, 1.0),))
    html = render_html.answer(render.reply(failure), render.evidence(failure))
    assert "found before; no answer was made of them" in html
    assert 'data-clause="b-1-6-3"' in html


def test_a_language_model_that_is_down_is_told_above_the_answer(clause):
    from dataclasses import replace

    reply = render.reply(replace(replied("x", clause), fallback=True, warnings=("it <rests>",)))
    outline = Outline(render_html.answer(reply))
    assert outline.text.startswith(render_html.LANGUAGE_MODEL_DOWN)
    assert "it <rests>" in outline.text


def test_the_time_of_each_stage_adds_up(clause):
    text = Outline(render_html.answer(render.reply(replied("x", clause)))).text
    assert "10 ms · answer 6" in text  # 9.6 in all, 4.0 of them the search


def test_a_reference_opens_what_it_names_inside_a_quote_too(clause):
    from dataclasses import replace

    from pipelines.schema import Reference

    text = "See Article B2.2 for more."
    made = replace(clause, text=text, references=(Reference("article", "B2.2", "B2.2", 12, 16),))
    html = render_card.card(render.card(made, replied("x", made, text).citations))
    link = '<button type="button" class="ref" data-article="B2.2">B2.2</button>'
    assert f"<mark>See Article </mark><mark>{link}</mark><mark> for more.</mark>" in html


def test_a_dead_reference_opens_nothing(clause):
    from dataclasses import replace

    from pipelines.schema import Link, Reference

    references = (Reference("article", "B2.2", "B2.2", 4, 8), Reference("article", "B9.9", "B9.9", 13, 17))
    made = replace(clause, text="See B2.2 and B9.9.", references=references)
    reply = replied("x", made, made.text)
    links = (Link("B2.2", "B2.2", "", "clause", "b-2-2"), Link("B9.9", "B9.9", "", ""))
    reply = replace(reply, passages=(replace(reply.passages[0], links=links),))
    (card,) = render.evidence(reply)
    assert [one["target"] for one in card["references"]] == ["B2.2"]


def test_only_a_clause_of_a_pdf_has_a_page(clause):
    from dataclasses import replace

    notes = replace(clause, document=replace(clause.document, file="notes.md"), file_lines=(3, 4))
    assert "Show page" in render_card.card(render.card(clause))
    html = render_card.card(render.card(notes))
    assert "Show page" not in html
    assert "lines 3–4" in html


def test_words_are_lines_and_tables():
    text = "Points:\n| P | Pts |\n| --- | :-: |\n| 1st | 25 |\n| a\\|b | 18 |\nNo others."
    table = (text.index("| P"), text.index("\nNo others"))
    html = render_card.words(text, (), [table])
    assert re.findall(r"<t[hd]>(.*?)</t[hd]>", html) == ["P", "Pts", "1st", "25", "a|b", "18"]
    assert html.startswith("<p>Points:</p><div")
    assert html.endswith("</div><p>No others.</p>")


def test_a_mark_in_a_table_lights_its_row():
    text = "| P | Pts |\n| --- | --- |\n| 1st | 25 |\n| 2nd | 18 |"
    span = render_card.find("2nd 18", text)
    html = render_card.words(text, [span], [(0, len(text))])
    assert html.count('class="hit"') == 1
    assert '<tr class="hit"><td>2nd</td>' in html


def test_quoted_rows_light_themselves_and_neither_the_row_before_nor_one_that_ends_alike():
    text = "| P | Pts |\n| --- | --- |\n| 21st | 2 |\n| 1st | 25 |\n| 2nd |  | 18 |\n| 3rd | 15 |"
    spans = [render_card.find(quote, text) for quote in ("| 1st | 25 |", "| 2nd |  | 18 |")]
    html = render_card.words(text, spans, [(0, len(text))])
    assert [row.split("</td>")[0] for row in html.split('<tr class="hit"><td>')[1:]] == ["1st", "2nd"]


def test_a_mark_over_two_lines_is_closed_on_each():
    text = "One two\nthree four"
    html = render_card.words(text, [render_card.find("two three", text)])
    assert html == "<p>One <mark>two</mark></p><p><mark>three</mark> four</p>"


def test_overlapping_marks_are_no_broken_html():
    html = render_card.words("abcdef", [(0, 4), (2, 6)])
    assert html == "<p><mark>ab</mark><mark>cd</mark><mark>ef</mark></p>"


@pytest.mark.parametrize(("quote", "found"), [("b  c", (2, 5)), ("x", None), ("", None), ("c.", None)])
def test_finding_a_quote(quote, found):
    assert render_card.find(quote, "a b c d") == found


def test_the_corpus_names_issue_and_date():
    documents = [
        {"file": "b2.pdf", "section": "B", "issue": "05", "date": "2026-02-27", "status": "superseded"},
        {"file": "a.pdf", "section": "A", "issue": "02", "date": "2026-02-27", "status": "in_force"},
        {"file": "notes.md", "section": "notes.md", "issue": "", "date": "", "status": "in_force"},
    ]
    listed, notice = render_html.corpus(documents, False, "data")
    assert "A issue 02, 2026-02-27B issue 05, 2026-02-27, supersedednotes.md" in Outline(listed).text
    assert Outline(listed).text.startswith("Indexed A 02 · notes.md")
    assert notice == ""
    listed, notice = render_html.corpus(documents, True, "Put the FIA’s PDFs into data/<x> and start again.")
    assert "not the FIA’s. Put the FIA’s PDFs into data/<x> and start again." in Outline(notice).text
    assert render_html.corpus([], False, "data") == ("", "")


def test_a_stopped_turn_keeps_what_was_written():
    outline = Outline(render_html.turn("q", render_html.body({"reply": None, "text": "The first <words>."})))
    assert "The first <words>.Stopped." in outline.text
    assert any(attributes.get("data-do") == "retry" for _, attributes in outline.tags)
