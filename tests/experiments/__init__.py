"""What benchmarks measure with, tested."""
