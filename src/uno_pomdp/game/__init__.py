"""Rules as kernels over one record, and the typed game above them."""
