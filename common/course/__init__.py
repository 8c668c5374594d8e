"""For courses: the grader."""
