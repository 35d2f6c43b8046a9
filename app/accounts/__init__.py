"""Users, groups, sign-in sessions; builds the ``Identity`` of a person.

May import ``policy`` and ``core``; knows nothing of the content store.
"""
