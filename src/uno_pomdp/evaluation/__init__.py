"""Who wins, both hands open: for luck as a control variate, for spectators and reviews."""
