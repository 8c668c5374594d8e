"""Plots and drawings: what reads the records and the emulator's traces, and draws."""
