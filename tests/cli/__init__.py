"""The command line, tested through its entry point."""
