"""The grader turns the files that students hand in into a sheet of points. README.md describes the steps."""
