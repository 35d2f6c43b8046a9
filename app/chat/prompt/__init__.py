"""The parts of what a model is told at the start of a run. ``chat.prompting`` puts them together."""
