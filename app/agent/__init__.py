"""The runtime of the assistant: runs, turns, approvals, tools, models.

May import ``content``, ``accounts``, ``policy`` and ``core``; knows nothing of conversations or the web.
"""
