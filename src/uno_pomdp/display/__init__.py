"""What a notebook shows: SVG pictures and HTML tables from cards and plain values, without a script or a file."""
