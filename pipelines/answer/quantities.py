"""Numbers of a text with their units, and its article ids, each in one spelling, to hold one text against another."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from decimal import Decimal

from pipelines.answer.words import NUMBER_WORDS

Quantity = tuple[str, str]
"""A number as plain digits, and its unit by its usual sign, "" where it has none."""

_ID = re.compile(
    r"\b[A-F]\.?\d{1,2}(?:\.\d{1,2})+(?:\([a-z]+\))*|\b[A-F]\d{1,2}\b(?!\.\d)|(?<![\w.])\d{1,2}(?:\.\d{1,2}){2,}",
    re.IGNORECASE,
)
_NAMED = re.compile(r"(?<![\w.-])[a-z]{1,4}-?\d{1,3}(?!\w|\.\w)", re.IGNORECASE)
_SPORT = re.compile(r"(?<!article )(?<!articles )(?<!section )\b(?:formula[\s-]?(?:1|one)|f1)\b(?!\.\d)", re.IGNORECASE)
"""The sport's own name, which is neither an article nor a number."""
_ORDINALS = "fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()
_WORDS = NUMBER_WORDS | {word: str(value) for value, word in enumerate(_ORDINALS, 4)}
_VAGUE = frozenset({"first", "second", "once", "single", "both", "one"})
"""Words that count less often than they speak of order or of anything at all."""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_ONES = "one two three four five six seven eight nine".split()
_SCALES = {
    "hundred": 100, "thousand": 1_000, "k": 1_000, "million": 10**6, "m": 10**6, "billion": 10**9, "bn": 10**9,
}  # fmt: skip
_UNITS = {
    "%": "% percent per\u00a0cent",
    "km/h": "km/h kph kmh kilometres\u00a0per\u00a0hour kilometers\u00a0per\u00a0hour",
    "mph": "mph miles\u00a0per\u00a0hour", "kg/h": "kg/h",
    "kg": "kg kgs kilo kilos kilogram kilograms kilogramme kilogrammes", "g": "g gram grams gramme grammes",
    "mm": "mm millimetre millimetres millimeter millimeters", "µm": "µm μm micron microns",
    "cm": "cm centimetre centimetres centimeter centimeters", "m": "m metre metres meter meters",
    "km": "km kms kilometre kilometres kilometer kilometers", "mile": "mile miles", "inch": "inch inches",
    "kW": "kW kilowatt kilowatts", "MW": "MW megawatt megawatts", "W": "W watt watts",
    "MJ": "MJ megajoule megajoules", "kJ": "kJ kilojoule kilojoules", "J": "J joule joules",
    "kPa": "kPa", "MPa": "MPa", "GPa": "GPa", "bar": "bar bars", "V": "V volt volts", "A": "A amp amps ampere amperes",
    "Hz": "Hz hertz", "kHz": "kHz", "MHz": "MHz", "rpm": "rpm RPM", "cc": "cc", "N": "N newton newtons", "kN": "kN",
    "Nm": "Nm", "l": "l litre litres liter liters", "ml": "ml millilitre millilitres",
    "ms": "ms millisecond milliseconds", "s": "s sec secs second seconds", "minute": "min mins minute minutes",
    "hour": "h hr hrs hour hours", "day": "day days", "week": "week weeks", "month": "month months",
    "year": "year years", "lap": "lap laps", "point": "point points", "°": "° degree degrees",
    "°C": "°C degrees\u00a0Celsius degrees\u00a0C", "€": "€ euro euros EUR", "$": "$ dollar dollars USD US$",
    "£": "£ pound pounds GBP",
}  # fmt: skip
_NAMES = {name.replace("\u00a0", " "): unit for unit, names in _UNITS.items() for name in names.split(" ")}


def _either(names: Iterator[str]) -> str:
    """Any of the names, the longest first; a word in either case, a sign only as it is written."""
    ordered = sorted(names, key=len, reverse=True)
    return "|".join(f"(?i:{re.escape(one)})" if len(one) > 2 and one.islower() else re.escape(one) for one in ordered)


_UNIT = _either(iter(_NAMES))
_AFTER = re.compile(rf"[\s-]?\)?\s?(?P<unit>{_UNIT})(?!\w)")
_LONG = _either(name for name in _NAMES if len(name) > 1)
_ALONE = re.compile(rf"(?<!\w)(?P<unit>{_LONG})(?!\w)|[(\[](?P<sign>\w)[)\]]")
_BEFORE = re.compile(r"(?P<unit>US\$|USD|EUR|GBP|[€$£])\s?[-+±]?$")
_NUMBER = re.compile(
    r"(?P<digits>(?<![\w.])(?:\d{1,3}(?:[, ]\d{3})+|\d+)(?:\.\d+)?(?!\d))"
    rf"|\b(?P<tens>{'|'.join(_TENS)})[- ](?P<ones>{'|'.join(_ONES)})\b"
    rf"|\b(?P<word>{'|'.join(sorted(_WORDS, key=len, reverse=True))})\b",
    re.IGNORECASE,
)
_SCALE = re.compile(r"[\s-]?(?P<scale>hundred|thousand|million|billion|bn)\b", re.IGNORECASE)
_SCALE_OF_MONEY = re.compile(r"\s?(?P<scale>[km])\b", re.IGNORECASE)


def unsupported(statement: str, law: str) -> tuple[str, ...]:
    """The article ids, names with a number ("Q3") and numbers with their units in ``statement`` that ``law`` has not.

    A unit is not in the law where the law has the number with another one only, or, where it has the number without
    any, nowhere has the unit.
    """
    statement, law = (unicodedata.normalize("NFKC", text) for text in (statement, law))
    statement = _SPORT.sub(" ", statement)
    missing = [name for name in _ID.findall(statement) if not _has_id(law, name)]
    statement, law = _ID.sub(" ", statement), _ID.sub(" ", law)
    named = {name.lower() for name in _NAMED.findall(law)}
    missing += [name for name in _NAMED.findall(statement) if name.lower() not in named]
    in_law = quantities(law)
    anywhere = _units(law)
    for value, unit in sorted(quantities(statement, vague=False)):
        units = {other for number, other in in_law if number == value}
        if not units or (unit and unit not in units and (units != {""} or unit not in anywhere)):
            missing.append(f"{value} {unit}".strip())
    return tuple(dict.fromkeys(missing))


def quantities(text: str, *, vague: bool = True) -> set[Quantity]:
    """The numbers of a text, in digits or words; without ``vague``, "first", "one" and the like are left out."""
    found = set()
    for match in _NUMBER.finditer(text):
        word = (match["word"] or "").lower()
        if word in _VAGUE and not vague:
            continue
        before = _BEFORE.search(text, max(0, match.start() - 6), match.start())
        value, end = _value(match), match.end()
        scale = _SCALE.match(text, end) or (_SCALE_OF_MONEY.match(text, end) if before else None)
        if scale:
            value, end = value * _SCALES[scale["scale"].lower()], scale.end()
        after = _AFTER.match(text, end)
        unit = before["unit"] if before else after["unit"] if after else ""
        found.add((_digits(value), _sign(unit)))
        if _sign(unit) == "%" and value == 50:
            found.add(("0.5", ""))  # what is half
    return found


def _has_id(law: str, name: str) -> bool:
    """Whether an article id, or one below it, stands in a text; one without its letter may be of any section."""
    wanted = _plain(name)
    known = {_plain(one) for one in _ID.findall(law)}
    known |= {one.lstrip("abcdef") for one in known} if wanted[0].isdigit() else set()
    return any(one == wanted or one.startswith((f"{wanted}.", f"{wanted}(")) for one in known)


def _plain(name: str) -> str:
    return re.sub(r"^([a-f])\.", r"\1", name.lower())


def _value(match: re.Match[str]) -> Decimal:
    if match["digits"]:
        return Decimal(re.sub(r"[, ]", "", match["digits"]))
    if match["tens"]:
        return Decimal(_WORDS[match["tens"].lower()]) + Decimal(_WORDS[match["ones"].lower()])
    return Decimal(_WORDS[match["word"].lower()])


def _digits(value: Decimal) -> str:
    """A number without leading or trailing zeros: 1.5, 80, 0.25."""
    return format(value.normalize(), "f")


def _units(text: str) -> set[str]:
    """The units that a text names anywhere, such as in the head of a table; a sign of one letter in brackets only."""
    named = {_sign(match["unit"] or match["sign"]) for match in _ALONE.finditer(text)}
    return named | {unit for _, unit in quantities(text)}


def _sign(name: str) -> str:
    """A unit's usual sign; "" for what is none."""
    return _NAMES.get(name) or _NAMES.get(name.lower(), "")
