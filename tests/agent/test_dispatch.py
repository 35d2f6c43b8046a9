"""The queue carries uuids as JSON and never decides anything."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from huey.registry import Message

from app.agent.dispatch import JsonSerializer, make_dispatcher
from app.config import Settings


def _settings(folder: Path) -> Settings:
    return Settings.from_environment({}, data=str(folder / "data"))


def test_it_writes_messages_as_json_and_reads_them_back() -> None:
    serializer = JsonSerializer()
    message = Message("id", "task", datetime(2026, 12, 1, tzinfo=UTC), 0, 0, None, ("uuid",), {"a": [1, None]})
    stored = serializer.serialize(message)
    assert stored.startswith(b'["id","task",{"$dt":"2026-12-01')
    found = serializer.deserialize(stored)
    assert (found.id, found.name, found.eta, found.args, found.kwargs) == (
        "id",
        "task",
        message.eta,
        ["uuid"],
        {"a": [1, None]},
    )


@pytest.mark.parametrize("value", [object(), {"x": object()}, b"bytes", {1, 2}])
def test_it_refuses_what_is_not_plain(value: object) -> None:
    with pytest.raises(ValueError, match="may not carry"):
        JsonSerializer().serialize(value)


def test_it_never_unpickles() -> None:
    import pickle

    with pytest.raises(ValueError):  # noqa: PT011  any refusal will do
        JsonSerializer().deserialize(pickle.dumps(["x"]))


def test_it_hands_a_uuid_from_one_process_to_another(tmp_path: Path) -> None:
    sender, receiver = make_dispatcher(_settings(tmp_path)), make_dispatcher(_settings(tmp_path))
    got: list[str] = []
    huey = receiver.listen(got.append)
    assert receiver.is_empty
    sender.wake("some-run")
    assert not receiver.is_empty
    huey.execute(huey.dequeue())
    assert got == ["some-run"]
    assert receiver.is_empty
    sender.close()
    receiver.close()


def test_it_uses_a_file_of_its_own_without_write_ahead_log(tmp_path: Path) -> None:
    dispatcher = make_dispatcher(_settings(tmp_path))
    assert not (tmp_path / "data" / "queue.db").exists()
    dispatcher.wake("some-run")
    assert (tmp_path / "data" / "queue.db").is_file()
    assert not (tmp_path / "data" / "queue.db-wal").exists()
    dispatcher.close()


def test_it_does_not_fail_when_the_queue_cannot_be_written(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "data").write_text("a file, not a folder")
    make_dispatcher(_settings(tmp_path)).wake("some-run")
    assert "waits for the sweep" in caplog.text
