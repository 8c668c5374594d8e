"""Finds or installs what the workbook needs, builds it, and runs it: the program behind the Makefile."""
