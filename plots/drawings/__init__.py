"""The lessons' drawings, from traces of the emulator."""
