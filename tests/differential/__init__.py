"""Deliberations drawn by chance, decided twice: by the product and by the verifier that ships with a capsule.

The verifier, `verify_capsule.py`, is the second implementation of counting and rules. It shares no code with the
product, so a mistake shows unless it was made twice. There is no third.
"""
