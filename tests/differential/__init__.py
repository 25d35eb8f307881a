"""A second implementation of counting and rules, slow and plain, and tallies on which both must agree.

It is written from what the documentation promises and shares no code with the product: whoever changes it looks at the
reference pages, never at the rooms it stands beside.
"""
