"""Language models behind one small protocol: the built-in assistant, a scripted one for tests, provider adapters."""
