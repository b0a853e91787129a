"""The game in the shapes that other libraries ask for; each adapter needs its library, which comes with an extra."""
