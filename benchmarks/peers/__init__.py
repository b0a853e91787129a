"""What benchmarks measure us beside, where no library has it."""
