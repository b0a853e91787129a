"""`uno-pomdp play`: a person at the table. The person is an agent like any other: he sees what his seat sees."""
