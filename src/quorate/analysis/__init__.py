"""Pure. What counting and views compute with: option groups, convergence, argument marks, sources, fault tolerance."""
