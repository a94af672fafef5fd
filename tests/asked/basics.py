"""The numbers of book/asked/basics.md: each function returns what must stand in the
answer with its anchor."""

from asking import computed
