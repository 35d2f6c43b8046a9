"""What leaves a worker, and where to; what is needed before anything leaves (I35)."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
from dataclasses import replace

import pytest

from app.agent.llm.base import ConfigurationMissing
from app.agent.llm.provider.clients import open_model
from app.agent.llm.provider.connection import Secret, connection_to, origin_of
from app.agent.llm.registry import make_model
from app.config import Settings
from tests.agent.llm.provider.conftest import KEY, Asking
from tests.support.provider_server import ProviderServer, Reply

_FOREIGN = {
    "OPENAI_API_KEY": "foreign-canary",
    "OPENAI_ORG_ID": "foreign-canary",
    "OPENAI_PROJECT_ID": "foreign-canary",
    "OPENAI_BASE_URL": "http://127.0.0.1:9/foreign-canary",
    "ANTHROPIC_API_KEY": "foreign-canary",
    "ANTHROPIC_AUTH_TOKEN": "foreign-canary",
    "ANTHROPIC_BASE_URL": "http://127.0.0.1:9/foreign-canary",
    "ANTHROPIC_CUSTOM_HEADERS": "X-Foreign: foreign-canary",
    "HTTP_PROXY": "http://127.0.0.1:9",
    "ALL_PROXY": "http://127.0.0.1:9",
    "HTTPS_PROXY": "http://127.0.0.1:9",
}


def test_it_sends_the_key_and_nothing_of_this_machine(
    asking: Asking, provider: ProviderServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for name, value in _FOREIGN.items():
        monkeypatch.setenv(name, value)
    provider.will(Reply(text="Fine."))
    # A client of its own, made while those variables stand.
    Asking(replace(asking.connection, key=Secret(KEY + asking.connection.provider))).ask()
    headers = provider.asked[0].headers
    assert KEY in (headers.get("authorization", "") + headers.get("x-api-key", ""))
    assert "foreign-canary" not in str(provider.asked[0])
    assert not [name for name in headers if name.startswith("x-stainless") or "openai" in name]
    assert headers["accept-encoding"] == "identity"
    assert KEY not in caplog.text


def test_it_sends_no_credentials_without_a_key(asking: Asking, provider: ProviderServer) -> None:
    provider.will(Reply(text="Fine."))
    Asking(replace(asking.connection, key=Secret(""))).ask()
    assert {"authorization", "x-api-key"}.isdisjoint(provider.asked[0].headers)


def test_it_follows_no_redirect(asking: Asking, provider: ProviderServer) -> None:
    elsewhere = ProviderServer()
    elsewhere.will(Reply(text="Gotcha."))
    for status in (301, 302, 303, 307, 308):
        provider.will(Reply(status=status, raw=b"", headers={"Location": elsewhere.address + "/v1/messages"}))
        with pytest.raises(Exception, match=str(status)):
            asking.ask()
    assert elsewhere.asked == []
    elsewhere.stop()


def test_it_speaks_to_one_origin_only(asking: Asking, provider: ProviderServer) -> None:
    model = open_model(asking.connection, "m")
    elsewhere = ProviderServer()
    elsewhere.will(Reply(text="Gotcha."))
    client = getattr(model, "client")._client  # noqa: B009  the HTTP client inside the SDK's

    async def wander() -> None:
        try:
            with pytest.raises(ConfigurationMissing):
                await client.post(elsewhere.address + "/v1/messages", headers={"x-api-key": KEY}, json={})
        finally:
            await client.aclose()

    asyncio.run(wander())
    assert elsewhere.asked == []
    elsewhere.stop()


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({}, "no_key"),
        ({"openai_api_key": "  "}, "no_key"),
        ({"openai_api_key": "sk-ü"}, "bad_key"),
        ({"openai_api_key": "a\nX-Evil: b"}, "bad_key"),
        ({"openai_api_key": KEY, "openai_base_url": "localhost:8080/v1"}, "bad_address"),
        ({"openai_api_key": KEY, "openai_base_url": "ftp://example.org"}, "bad_address"),
        ({"openai_api_key": KEY, "openai_base_url": "http://"}, "bad_address"),
        ({"openai_api_key": KEY, "openai_base_url": "https://name:word@example.org/v1"}, "bad_address"),
        ({"openai_api_key": KEY, "openai_base_url": "https://example.org/v1?key=1"}, "bad_address"),
        ({"openai_api_key": KEY, "openai_base_url": "https://example.org:99999/v1"}, "bad_address"),
    ],
)
def test_it_says_what_is_missing_before_anything_is_sent(values: dict[str, str], code: str) -> None:
    with pytest.raises(ConfigurationMissing) as raised:
        make_model("openai:some-model", Settings(**values))
    assert raised.value.code == code
    assert str(raised.value).endswith(".")
    assert KEY not in f"{raised.value!r}{raised.value.detail}"


def test_it_knows_the_addresses_of_the_providers() -> None:
    assert connection_to("openai", Settings(openai_api_key=f" {KEY}\n")).origin == ("https", "api.openai.com", 443)
    assert connection_to("anthropic", Settings(anthropic_api_key=KEY)).origin == ("https", "api.anthropic.com", 443)
    own = connection_to("openai", Settings(openai_base_url="http://localhost:8080/v1/", model_streaming=0))
    assert (own.origin, own.base_url, bool(own.key), own.is_streamed) == (
        ("http", "localhost", 8080),
        "http://localhost:8080/v1",
        False,
        False,
    )
    assert origin_of("https://[::1]/x") == ("https", "::1", 443)


def test_it_shows_no_key_by_accident() -> None:
    settings = Settings(openai_api_key=KEY, anthropic_api_key=KEY)
    connection = connection_to("openai", settings)
    for shown in (f"{settings!r}", f"{settings}", f"{connection!r}", f"{connection.key}", f"{connection.key!r}"):
        assert KEY not in shown


def test_it_loads_no_library_of_providers_into_the_web_process() -> None:
    script = (
        "import sys, tempfile\n"
        "from app import create_app\n"
        "from app.agent.llm.registry import make_model\n"
        "from app.config import Settings\n"
        "create_app(Settings(data=tempfile.mkdtemp(), workers=0))\n"
        "make_model('builtin')\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules}"
        " & {'pydantic_ai', 'pydantic', 'openai', 'anthropic', 'httpx2'}))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout.strip() == "[]"


def test_it_loads_the_sdk_that_is_asked_for_only() -> None:
    script = (
        "import sys\n"
        "from app.agent.llm.base import ModelError, ModelSettings, UserMessage\n"
        "from app.agent.llm.registry import make_model\n"
        "from app.config import Settings\n"
        "model = make_model('openai:m', Settings(openai_base_url='http://127.0.0.1:9/v1'))\n"
        "try:\n"
        "    model.respond([UserMessage(content='x')], [], ModelSettings(model='m', max_output_tokens=1))\n"
        "except ModelError as failure:\n"
        "    print(failure.code)\n"
        "print('openai' in sys.modules, 'anthropic' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout.split() == ["connection", "True", "False"]
