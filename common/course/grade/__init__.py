"""The grader turns the files that students submit into a sheet of points. README.md describes its steps."""
