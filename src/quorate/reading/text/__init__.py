"""Parsers that several forms share: objects, labelled lines, marks, thinking, and whose words a passage is."""
