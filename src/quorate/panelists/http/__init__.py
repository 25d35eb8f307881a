"""Providers over HTTP: one client, four wire formats, and what their replies and errors mean."""
