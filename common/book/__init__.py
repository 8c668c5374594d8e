"""The book's own programs in Python: what a student, an instructor and an author run besides the chapters."""
