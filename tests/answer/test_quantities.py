"""Numbers, units and ids of a statement that a law has or has not."""

from __future__ import annotations

import pytest

from pipelines.answer.quantities import quantities, unsupported

LAW = (
    "A limit of 80km/h applies. The fine is €100, at most €1,000, within two (2) hours, under Article B1.9.3. 1.50 mm."
)


@pytest.mark.parametrize(
    "statement",
    [
        "The limit is 80 km/h.",
        "The limit is 80 kph.",
        "The limit is 80 kilometres per hour.",
        "At most €1000.",
        "At most one thousand euros.",
        "Within 2 hours, two hours.",
        "See B1.9.3, in B1 and B1.9.",
        "See B.1.9.3 and b1.9.3.",
        "It is 1.5 mm.",
        "The first of both is one.",
        "In Formula 1 and in F1.",
    ],
)
def test_numbers_units_and_ids_that_the_law_has(statement: str) -> None:
    assert unsupported(statement, LAW) == ()


@pytest.mark.parametrize(
    ("statement", "missing"),
    [
        ("The limit is 90 km/h.", ("90 km/h",)),
        ("The limit is 80 mph.", ("80 mph",)),
        ("The limit is 80 metres.", ("80 m",)),
        ("It is 80% of it.", ("80 %",)),
        ("It is 80 per cent of it.", ("80 %",)),
        ("An 80-second penalty.", ("80 s",)),
        ("A fine of $100.", ("100 $",)),
        ("A fine of €1m.", ("1000000 €",)),
        ("Within three hours.", ("3 hour",)),
        ("The fifth of them.", ("5",)),
        ("Half of the limit.", ("0.5",)),
        ("See B1.9.4.", ("B1.9.4",)),
        ("See B.1.9.4.", ("B.1.9.4",)),
        ("See b1.9.4.", ("b1.9.4",)),
        ("See Article 1.9.4.", ("1.9.4",)),
        ("In Q3 of it.", ("Q3",)),
        ("See Article F1 and F1.2.", ("F1", "F1.2")),
        ("It is 15 mm.", ("15 mm",)),
        ("It is ８５ km/h.", ("85 km/h",)),
    ],
)
def test_numbers_units_and_ids_that_it_has_not(statement: str, missing: tuple[str, ...]) -> None:
    assert unsupported(statement, LAW) == missing


@pytest.mark.parametrize(
    ("statement", "law"),
    [
        ("twenty-four Competitions", "24 Competitions"),
        ("24 hours", "twenty-four (24) hours"),
        ("5 million dollars", "US$ 5,000,000"),
        ("$5m", "five million dollars"),
        ("half of the points", "50% of the points"),
        ("80 s", "| time (s) |\n| 80 |"),
        ("25 points", "| Position | Points |\n| 1st | 25 |"),
        ("0.5 kg", "0.50kg"),
        ("See Article 9.9.1", "as B9.9.1 has it"),
        ("in Q3", "the period of q3"),
        ("the 5th", "the fifth"),
    ],
)
def test_one_number_in_two_spellings(statement: str, law: str) -> None:
    assert unsupported(statement, law) == ()


@pytest.mark.parametrize(
    ("statement", "law", "missing"),
    [
        ("24 hours", "twenty-four (24) minutes", ("24 hour",)),
        ("30%", "30 mm", ("30 %",)),
        ("5 kg", "5 kg/h", ("5 kg",)),
        ("80 seconds", "a speed of 80", ("80 s",)),
        ("$5m", "US$ 5", ("5000000 $",)),
        ("twenty-four", "20 and 4", ("24",)),
    ],
)
def test_one_number_with_another_unit_or_size(statement: str, law: str, missing: tuple[str, ...]) -> None:
    assert unsupported(statement, law) == missing


def test_quantities_are_plain_digits_with_a_usual_sign() -> None:
    assert quantities("1,500.50 kilograms, two laps, £3") == {("1500.5", "kg"), ("2", "lap"), ("3", "£")}
