"""Nets in ONNX, the exchange format of other libraries: written without any of them, checked before they run."""
