"""Bringing content in from elsewhere: each source has a reading half (plain values, no database) and a writing half."""
