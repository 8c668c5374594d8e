"""The student's side of the workbook: hints, comparisons, progress, questions, machine code and the zoo."""
