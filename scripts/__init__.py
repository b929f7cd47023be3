"""Entry points for people and machines: run, test, check, and what they call."""
