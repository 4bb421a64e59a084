"""A library that leaves its history with the server sends it itself once it is refused in the right shape."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import anthropic
import httpx2
import pytest
from aiohttp import web

from tests.gateway.serving import gateway, served
from trimtab.testing.upstream import StrictUpstream


async def strict(request: web.Request) -> web.StreamResponse:
    body = json.loads(await request.read())
    assert "thread" not in body
    results = [
        block for row in body["messages"] if isinstance(row["content"], list) for block in row["content"] if block["type"] == "tool_result"
    ]
    reply: dict[str, Any] = StrictUpstream().reply("anthropic", body)
    if not results:
        call = {"type": "tool_use", "id": "toolu_1", "name": "add", "input": {"a": 17, "b": 25}}
        reply = reply | {"content": [call], "stop_reason": "tool_use"}
    return web.json_response(reply)


@anthropic.beta_async_tool
async def add(a: int, b: int) -> str:
    """Add two numbers.

    Args:
        a: the first
        b: the second
    """
    return str(a + b)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_tool_runner_falls_back_to_the_whole_history() -> None:
    async def body() -> None:
        async with served(strict) as (url, told), gateway(url) as client:
            transport = httpx2.ASGITransport(app=client.app)
            statuses: list[int] = []

            async def heard(response: httpx2.Response) -> None:
                statuses.append(response.status_code)

            async with httpx2.AsyncClient(transport=transport, event_hooks={"response": [heard]}) as http:
                sdk = anthropic.AsyncAnthropic(api_key="k", base_url="http://gateway", http_client=http, max_retries=0)
                runner = sdk.beta.messages.tool_runner(
                    model="strict-1", max_tokens=64, tools=[add], messages=[{"role": "user", "content": "What is 17 + 25?"}]
                )
                async for _ in runner:
                    pass
            assert statuses.count(400) == 1, "it did ask for a thread, and was refused once"
            last = json.loads(told.asked[-1].body)
            assert [row["role"] for row in last["messages"]] == ["user", "assistant", "user"]
            assert last["messages"][-1]["content"][0]["content"] in ("42", [{"type": "text", "text": "42"}])

    asyncio.run(body())
