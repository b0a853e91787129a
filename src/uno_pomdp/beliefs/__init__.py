"""What one player knows about the other's hidden hand."""
