# Makes liboqs the plain C build: read before its own settings, of which it keeps those that are there.
set(OQS_OPT_TARGET generic CACHE STRING "")
