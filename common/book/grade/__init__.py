"""The grader: from files that students hand in to a sheet of points. README.md tells the way."""
