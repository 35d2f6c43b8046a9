"""Events for Imprimatur."""
