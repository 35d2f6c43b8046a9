"""The content store: record tables, their registry, rights on records, overlay reading, and the one write path.

May import ``policy`` and ``core``; knows nothing of accounts, runs or the web.
"""
