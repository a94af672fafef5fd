"""The numbers of book/asked/choices.md: each function returns what must stand in the
answer with its anchor."""

from asking import computed
