"""The lessons' drawings, made from traces of the emulator."""
