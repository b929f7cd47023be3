"""Questions that the regulations do not answer, made from patterns: to fit the refusal gate, never to measure it."""

from __future__ import annotations

from itertools import product

_SERIES = (
    "Formula 2",
    "Formula 3",
    "Formula E",
    "IndyCar",
    "NASCAR",
    "MotoGP",
    "Moto3",
    "the World Rally Championship",
    "the World Endurance Championship",
    "DTM",
    "GT3 racing",
    "karting",
)
_SERIES_ASKED = (
    "What is the minimum weight of a car in {}?",
    "How big are the engines in {}?",
    "Which tyres are used in {}?",
    "What fuel does {} use?",
    "How wide may the car be in {}?",
)
_EVENTS = (
    "Monaco Grand Prix",
    "race in Monza",
    "Japanese Grand Prix",
    "race at Spa",
    "Australian Grand Prix",
    "season",
)
_YEARS = ("2019", "2022", "last year", "in 2025")
_RESULTS = (
    "Who won the {0} {1}?",
    "Who was on pole for the {0} {1}?",
    "Which driver set the fastest lap of the {0} {1}?",
    "What was the winner's time in the {0} {1}?",
)
_THINGS = (
    "a front wing",
    "a Formula 1 engine",
    "a weekend ticket",
    "a pit lane walk",
    "a driver's helmet",
    "a team shirt",
    "a gearbox",
    "a lap in a simulator",
    "an entry to the museum",
    "a sponsorship of a top team",
    "a set of used tyres",
    "a hospitality package",
)
_PRICES = ("How much does {} cost?", "What is the price of {}?", "Where can I buy {}?")
_PLACES = ("Suzuka", "Silverstone", "Las Vegas", "Interlagos", "Baku", "Imola")
_PLACES_ASKED = (
    "How long is the track at {}?",
    "How many corners does {} have?",
    "What is the lap record at {}?",
    "How do I get to {} by train?",
)


def made_up() -> list[str]:
    """All of them, in a fixed order."""
    found = [pattern.format(series) for pattern, series in product(_SERIES_ASKED, _SERIES)]
    found += [pattern.format(event, year) for pattern, event, year in product(_RESULTS, _EVENTS, _YEARS)]
    found += [pattern.format(thing) for pattern, thing in product(_PRICES, _THINGS)]
    found += [pattern.format(place) for pattern, place in product(_PLACES_ASKED, _PLACES)]
    return found
