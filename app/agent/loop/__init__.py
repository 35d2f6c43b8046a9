"""The loop of a run: look, take one step, look again. ``running.run_segment`` is the way in."""
