"""The book's own Python programs, which students, instructors and authors run in addition to the chapters."""
