"""What administrators are told of models that cannot be used (F25); nobody else is told or asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flask import url_for

from app.agent.configurations import ConfigurationView, list_configurations
from app.agent.llm.checking import sentence_of_code
from app.agent.llm.provider.connection import settings_prefix
from app.agent.notices import Notice, NoticeKind, list_notices
from app.core.i18n import Text, ntext, text
from app.core.moments import Moment
from app.web.current import current
from app.web.locale import format_list


@dataclass(frozen=True, kw_only=True, slots=True)
class NoticeLink:
    """The way to the page that mends it."""

    url: str
    label: Text


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelNotice:
    """One model that cannot be used, with the configurations that name it."""

    subject: str
    sentence: Text
    since: Text
    links: tuple[NoticeLink, ...]


def model_notices() -> tuple[ModelNotice, ...]:
    """The notices for the person asking: none for anybody but administrators, none about models no configuration names any more."""
    if not current().identity.is_admin:
        return ()
    connection = current().connection
    left = list_notices(connection, NoticeKind.MODEL)
    configurations = list_configurations(connection) if left else ()
    told = ((notice, [found for found in configurations if found.model == notice.subject]) for notice in left)
    return tuple(_notice(notice, concerned) for notice, concerned in told if concerned)


def _notice(notice: Notice, concerned: Sequence[ConfigurationView]) -> ModelNotice:
    names = format_list([text("“%(name)s”", name=found.name) for found in concerned])
    return ModelNotice(
        subject=notice.subject,
        sentence=ntext(
            "The AI model %(model)s of the configuration %(names)s cannot be used: %(problem)s",
            "The AI model %(model)s of the configurations %(names)s cannot be used: %(problem)s",
            len(concerned),
            model=notice.subject,
            names=names,
            problem=sentence_of_code(notice.code, setting=settings_prefix(notice.subject)),
        ),
        since=ntext(
            "It happened %(n)s time, last on %(when)s.",
            "It happened %(n)s times, last on %(when)s.",
            notice.times,
            when=Moment(seconds=notice.last_at),
        ),
        links=tuple(
            NoticeLink(
                url=url_for("configurations.connection", configuration_id=found.id),
                label=text("Connection of “%(name)s”", name=found.name),
            )
            for found in concerned
        ),
    )
