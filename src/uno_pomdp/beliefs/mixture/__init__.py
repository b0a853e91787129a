"""The closed form of the belief: a mixture of nested-group configurations, as kernels."""
