"""The built-in assistant: a deterministic model that reads, asks back, proposes and reports.

It keeps nothing between calls. Every turn is worked out anew from the messages, so the same
messages give the same turn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.agent.llm.base import (
    AssistantMessage,
    CallCancelled,
    Finish,
    Message,
    ModelSettings,
    ModelTurn,
    ToolCallRequest,
    ToolSpec,
    Usage,
    UserMessage,
)
from app.agent.llm.builtin.answers import Voice
from app.agent.llm.builtin.need import Step
from app.agent.llm.builtin.plan import Plan, Planner
from app.agent.llm.builtin.report import report
from app.agent.llm.builtin.request import Request, read_request
from app.agent.llm.builtin.text import MAX_MESSAGE
from app.agent.llm.builtin.transcript import Call, Results, exchanges

# The protocol bounds tokens; rules write characters. Four characters a token is the usual measure for both languages.
_CHARACTERS_PER_TOKEN = 4
# It reads no tokens and writes none: an offline answer costs a request and nothing else.
_USAGE = Usage(requests=1, prompt_tokens=0, completion_tokens=0)


class BuiltInAssistant:
    """The language model behind the name `builtin`. What it understands: docs/built-in-assistant.md."""

    def respond(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec],
        settings: ModelSettings,
        *,
        on_text: Callable[[str], None] | None = None,
        cancel: Callable[[], bool] | None = None,
    ) -> ModelTurn:
        """The next turn: read calls, a question, one turn of proposed steps, or a closing answer."""
        if cancel is not None and cancel():
            raise CallCancelled
        content, calls = _answer(messages, tools, settings)
        requests = tuple(
            # The position in the conversation makes the id unique in it without keeping a counter.
            ToolCallRequest(id=f"builtin-{len(messages)}-{number}", name=made.tool, arguments=made.arguments)
            for number, made in enumerate(calls, start=1)
        )
        limit = max(1, settings.max_output_tokens) * _CHARACTERS_PER_TOKEN
        cut = not requests and len(content) > limit
        content = content[:limit] if cut else content
        if on_text is not None:
            for piece in content.splitlines(keepends=True):
                on_text(piece)
        finish: Finish = "tool_calls" if requests else "length" if cut else "stop"
        return ModelTurn(content=content, calls=requests, usage=_USAGE, finish=finish)


def _answer(
    messages: Sequence[Message], tools: Sequence[ToolSpec], settings: ModelSettings
) -> tuple[str, Sequence[Call]]:
    talk = exchanges(messages)
    default = "de" if settings.language.casefold().startswith("de") else "en"
    if not talk:
        return Voice(language=default).say("hello"), ()
    request = read_request(talk, default)
    voice = Voice(language=request.language)
    if len(talk[-1].said) > MAX_MESSAGE:
        return voice.say("too_long"), ()
    if (answer := _without_plan(request, voice)) is not None:
        return answer, ()
    results = Results(messages)
    plan = Planner(request, results, {tool.name: tool for tool in tools}, voice).plan()
    if plan.reads:
        return "", plan.reads
    return _speak(request, plan, results, voice, _said_already(messages))


def _without_plan(request: Request, voice: Voice) -> str | None:
    """The answer when there is nothing to plan, else None."""
    if request.dropped:
        return voice.say("dropped")
    if request.parsed.negation_leads:
        return voice.say("negation_unclear")
    if request.intents:
        return None
    if request.parsed.excluded:
        return "\n\n".join(_remarks(request, voice))
    return voice.say("not_understood") + "\n\n" + voice.say("examples")


def _remarks(request: Request, voice: Voice) -> list[str]:
    unclear = [voice.say("part_unclear", part=voice.quote(part)) for part in request.parsed.unclear]
    return unclear + [voice.say("part_excluded", part=voice.quote(part)) for part in request.parsed.excluded]


def _speak(request: Request, plan: Plan, results: Results, voice: Voice, said: str) -> tuple[str, Sequence[Call]]:
    executed = [step for step in plan.steps if results.of(step.call) is not None]
    proposed = [step for step in plan.steps if results.of(step.call) is None]
    # What the proposal already said is not repeated in the closing answer.
    paragraphs = [line for line in [*_remarks(request, voice), *plan.lines] if line not in said]
    if (outcome := report(executed, results, voice)) and outcome not in said:
        paragraphs.insert(0, outcome)
    if plan.questions:
        # One question at a time, last, so that the next message can answer it. Nothing is proposed before.
        return "\n\n".join([*paragraphs, plan.questions[0]]), ()
    if proposed:
        paragraphs += _proposal(proposed, plan, voice)
    return "\n\n".join(paragraphs) or voice.say("not_understood"), [step.call for step in proposed]


def _proposal(proposed: Sequence[Step], plan: Plan, voice: Voice) -> list[str]:
    lines = [voice.say("step_line", position=n, step=step.phrase) for n, step in enumerate(proposed, start=1)]
    paragraphs = ["\n".join([voice.count("propose", len(proposed)), *lines])]
    if any(step.call.tool == "create_translation_draft" for step in proposed):
        paragraphs.append(voice.say("translation_note"))
    if plan.later:
        paragraphs.append(voice.say("later"))
    return paragraphs


def _said_already(messages: Sequence[Message]) -> str:
    newest = max((i for i, m in enumerate(messages) if isinstance(m, UserMessage)), default=-1)
    return "\n\n".join(m.content for m in messages[newest + 1 :] if isinstance(m, AssistantMessage))
