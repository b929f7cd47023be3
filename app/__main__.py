"""``python -m app`` is the command ``techreg``."""

import sys

from app.cli import main

if __name__ == "__main__":
    sys.exit(main())
