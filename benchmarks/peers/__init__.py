"""The same twelve-call tribunal with other libraries, each in an environment of its own; not part of `make bench`."""
