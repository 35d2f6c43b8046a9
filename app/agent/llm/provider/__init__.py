"""Models of providers, spoken to through ``pydantic_ai.direct``. Only this package knows that library and its SDKs.

``connection`` is light and may be imported anywhere; the other modules load the library and belong to workers (design
section 7). The parts: ``adapter`` answers, ``clients`` opens, ``transport`` guards the wire, ``mapping`` translates
messages, ``failures`` translates errors, ``loop`` is the one event loop of the process, ``breaker`` spares a provider that is
down.
"""
