"""`python -m hype_eval` is the program `hype`."""

from ._program import main

main()
