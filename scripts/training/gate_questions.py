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

_NO_SUCH_LIMITS = (
    "What is the maximum number of umbrellas on the grid?",
    "How many coffee machines may a team bring to a race?",
    "What is the minimum age of a team principal?",
    "How heavy may a mechanic be?",
    "How tall may the pit crew be?",
    "What is the maximum number of buttons on the steering wheel?",
    "How many bolts must hold the rear wing?",
    "What colour must the driver's seat be?",
    "How many cameras may a team's photographer carry?",
    "What is the highest temperature allowed in the garage?",
    "How fast may a mechanic run in the pit lane?",
    "What is the shortest time a pit stop may take?",
    "How many gears must a driver use in one lap?",
    "What is the minimum thickness of the paint?",
    "How many layers of varnish may the car have?",
    "What is the smallest diameter of the drinking straw?",
    "How long must a driver stay on the podium?",
    "What is the maximum number of guests in a motorhome?",
    "How many bicycles may a team take on a track walk?",
    "How wide must a team's truck be?",
    "What is the maximum number of computers on the pit wall?",
    "How many screens may a race engineer look at?",
    "How big may a team's logo on the garage wall be?",
    "What is the minimum number of women in a team?",
    "How many left-handed drivers may a team have?",
    "What is the maximum heart rate of a driver during a race?",
    "How many push-ups must a driver manage?",
    "What is the minimum horsepower of a car?",
    "How many seconds may the engine idle in the garage at night?",
    "What is the maximum number of overtakes in a race?",
    "How many times may a driver use the brakes in a lap?",
    "What is the maximum smoke an exhaust may make?",
    "How many carbon fibres must a wing contain?",
    "What is the largest number of fans a team may invite?",
    "How long may a team's press release be?",
    "How often must a team wash its car?",
    "What shoe size must a driver have?",
    "How many languages must the stewards speak?",
    "What is the minimum volume of a driver's suitcase?",
    "How many chairs must a team provide for journalists?",
    "Is there a limit on the number of hospitality trucks' windows?",
    "Is there a rule on how long a driver's hair may be?",
    "Is there a maximum number of tattoos for drivers?",
    "Must mechanics wear gloves of a certain colour?",
    "Must a car have an ashtray?",
    "Must the car carry a spare wheel?",
    "Must drivers shake hands after the race?",
    "How many world titles must a driver have to lead a team?",
    "How loud may a team play music in its garage?",
    "How many weeks of holiday must a mechanic get?",
    "What is the maximum price of a steering wheel?",
    "What is the longest beard a driver may have?",
    "How steep may the banking of a corner be?",
    "What air pressure must the garage have?",
    "How many flags may a fan bring?",
    "What is the maximum number of drones over the paddock?",
)


def made_up() -> list[str]:
    """All of them, in a fixed order."""
    found = [pattern.format(series) for pattern, series in product(_SERIES_ASKED, _SERIES)]
    found += [pattern.format(event, year) for pattern, event, year in product(_RESULTS, _EVENTS, _YEARS)]
    found += [pattern.format(thing) for pattern, thing in product(_PRICES, _THINGS)]
    found += _NO_SUCH_LIMITS
    found += [pattern.format(place) for pattern, place in product(_PLACES_ASKED, _PLACES)]
    return found
