"""From a request and the results so far to what comes next: reads, questions, steps to propose, lines to say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.agent.llm.base import ToolSpec
from app.agent.llm.builtin.answers import Voice
from app.agent.llm.builtin.intents import WRITES, Intent, Reference
from app.agent.llm.builtin.need import Need, Step
from app.agent.llm.builtin.reading import Said, answer_reading
from app.agent.llm.builtin.request import Request
from app.agent.llm.builtin.resolve import Later, Problem, Question, Reads, Resolved, Resolver
from app.agent.llm.builtin.schemas import accepts
from app.agent.llm.builtin.steps import write_step
from app.agent.llm.builtin.transcript import Call, Results, number_in


@dataclass(kw_only=True, slots=True)
class Plan:
    """What to do next. `lines` answer and explain; `later` is true when a part waits for a step's result."""

    reads: list[Call] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    later: bool = False


class Planner:
    """Plans one request. The plan depends on the arguments alone, so it is made anew from the messages every time."""

    def __init__(self, request: Request, results: Results, tools: Mapping[str, ToolSpec], voice: Voice) -> None:
        self._request = request
        self._results = results
        self._tools = tools
        self._voice = voice
        self._resolver = Resolver(request=request, results=results, offered=frozenset(tools), voice=voice)
        self._made: dict[int, Step] = {}

    def plan(self) -> Plan:
        """The plan for all intents of the request."""
        plan = Plan()
        for index, intent in enumerate(self._request.intents):
            if intent.kind in ("greet", "thanks") and len(self._request.intents) > 1:
                continue  # courtesy around a request needs no answer of its own
            self._plan_intent(index, intent, plan)
        plan.reads = [made for made in dict.fromkeys(plan.reads) if self._fits(made)]
        plan.lines = list(dict.fromkeys(plan.lines))
        return plan

    def _plan_intent(self, index: int, intent: Intent, plan: Plan) -> None:
        subject = self._lookup(intent.subject, deleted=intent.kind == "undelete")
        target = self._lookup(intent.target)
        outcome: Step | Said | Resolved
        if intent.kind not in WRITES:
            outcome = answer_reading(intent, subject, self._results, self._resolver)
        else:
            outcome = self._write(intent, subject, target)
        match outcome:
            case Step():
                self._accept(index, outcome, plan)
            case Reads():
                fitting = [made for made in outcome.calls if self._fits(made)]
                plan.reads += fitting
                if not fitting:
                    plan.lines.append(self._voice.say("cannot_read"))
            case Question():
                if outcome.text not in plan.questions:
                    plan.questions.append(outcome.text)
            case Said():
                plan.lines.append(outcome.text)
            case Problem():
                plan.lines.append(outcome.line)
            case Later():
                plan.later = True

    def _write(self, intent: Intent, subject: Resolved | None, target: Resolved | None) -> Step | Resolved:
        need = Need(intent=intent, request=self._request, results=self._results, resolver=self._resolver)
        return write_step(need, subject, target)

    def _accept(self, index: int, step: Step, plan: Plan) -> None:
        """Take a step when its tool is offered and takes the arguments; the same call is not proposed twice."""
        if step.call.tool not in self._tools:
            plan.lines.append(self._voice.say("not_offered", step=step.phrase))
        elif not self._fits(step.call):
            plan.lines.append(self._voice.say("bad_arguments", step=step.phrase))
        else:
            self._made[index] = step
            if step.call not in [known.call for known in plan.steps]:
                plan.steps.append(step)

    def _fits(self, made: Call) -> bool:
        spec = self._tools.get(made.tool)
        return spec is not None and accepts(spec.parameters, made.arguments)

    def _lookup(self, reference: Reference | None, *, deleted: bool = False) -> Resolved | None:
        if reference is None:
            return None
        if reference.kind != "result":
            return self._resolver.resolve(reference, deleted=deleted)
        step = self._made.get(reference.index)
        if step is None:
            return Problem(line=self._voice.say("dependent"))
        reply = self._results.of(step.call)
        if reply is None:
            return Later(index=reference.index)
        if reply.is_error:
            return Problem(line=self._voice.say("dependent"))
        uid = new_number(reply.data)
        if uid is None:
            return Problem(line=self._voice.say("no_new_number"))
        return self._resolver.by_number("pages", uid)


def new_number(data: Mapping[str, object]) -> int | None:
    """The number of the record a result says was made."""
    for key in ("new_uid", "uid"):
        if (uid := number_in(data, key)) is not None:
            return uid
    for key in ("record", "created", "target"):
        inner = data.get(key)
        if isinstance(inner, Mapping) and (uid := number_in(inner, "uid")) is not None:
            return uid
    return None
