"""Reviews of finished games: what each move cost, by what its player could know."""
