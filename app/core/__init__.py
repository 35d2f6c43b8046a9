"""Plumbing without domain: database, clock, identifiers, errors, texts, keys.

May import nothing of the product; every other package may import it.
"""
