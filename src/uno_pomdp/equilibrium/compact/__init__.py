"""A mini game without what makes no difference: the walk over public histories, its plans, solvers over them."""
