"""The HTTP door: an API for programs, a page for people, and a panel that can be asked like a model."""
