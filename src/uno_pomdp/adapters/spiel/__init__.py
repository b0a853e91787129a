"""The parts of the OpenSpiel game: positions with chance, the observer, resampling."""
