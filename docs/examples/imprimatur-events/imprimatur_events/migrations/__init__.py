"""Alembic revisions of this package: a branch of its own, after the tables of Imprimatur."""
