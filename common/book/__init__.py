"""The book's own Python programs: those that students, instructors and authors run in addition to the chapters."""
