"""`uno-pomdp play`: a person at the table. The person is an agent like any other: it sees what its seat sees."""
