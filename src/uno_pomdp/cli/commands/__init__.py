"""What each command does, a file for each."""
