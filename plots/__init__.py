"""Plots and drawings: programs that read the records and the emulator's traces, and draw them."""
