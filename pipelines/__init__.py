"""TechReg Analyst: the FIA Formula 1 regulations, read, indexed and answered from.

The package imports neither ``app``, ``eval``, ``scripts``, gradio nor ragas.
"""
