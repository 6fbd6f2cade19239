"""`python -m dlport.cli` is the `dlport` command."""

from dlport.cli import main

main()
