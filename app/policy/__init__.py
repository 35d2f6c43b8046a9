"""Pure decisions: who somebody is, what they may, what a rule says of a call. No database, no input or output.

May import ``core`` only.
"""
