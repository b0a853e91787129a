"""What benchmarks measure with: it explains figures in the docs, and nothing in the package needs it."""
