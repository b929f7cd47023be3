"""The ways in for people and programs: command line, server and chat. A thin layer over the engine."""
