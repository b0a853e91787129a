"""Who is better: matches over duplicate deals, tournaments, their statistics and their results on disk."""
