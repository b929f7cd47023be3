"""Builds the sample regulation: light markup -> blocks -> placed pages -> PDF, and the truth a reader must find."""
