"""`make liveN`: a page that follows the student's file."""
