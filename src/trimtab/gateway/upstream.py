"""The one upstream that is configured: a request is sent on, its reply comes back in pieces as they arrive."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from types import TracebackType
from urllib.parse import urlsplit

import aiohttp
from msgspec import Struct
from yarl import URL

from trimtab.errors import BadSetting, TrimtabError

_LEFT_TO_THE_CLIENT = ("accept", "accept-encoding", "content-type", "user-agent")


class UpstreamFailed(TrimtabError):
    """The upstream could not be reached, or broke off. `began` says whether a part of its reply has been given."""

    def __init__(self, host: str, problem: str, *, began: bool = False) -> None:
        self.host, self.problem, self.began = host, problem, began
        super().__init__(f"the upstream {host} {problem}; look whether it runs and whether --upstream names it rightly")


class Limits(Struct, frozen=True, kw_only=True):
    """Attributes: seconds to connect; seconds without a piece of the reply; connections at once."""

    connect_s: float = 10.0
    silent_s: float = 600.0
    connections: int = 256


class Answer:
    """A reply: its status and headers are there, its bytes come."""

    def __init__(self, host: str, response: aiohttp.ClientResponse) -> None:
        self.status = response.status
        self.headers = [(name, value) for name, value in response.headers.items()]
        self._host, self._response = host, response

    @property
    def is_stream(self) -> bool:
        return "event-stream" in self._response.headers.get("content-type", "")

    async def pieces(self) -> AsyncIterator[bytes]:
        """As they come in, none held back. Raises UpstreamFailed; closing it early closes the connection to the upstream."""
        whole = False
        try:
            async for piece in self._response.content.iter_any():
                yield piece
            whole = True
        except (aiohttp.ClientError, TimeoutError) as error:
            raise UpstreamFailed(self._host, f"broke off its reply ({type(error).__name__})", began=True) from None
        finally:
            if whole:
                self._response.release()
            else:
                self._response.close()


class Upstream:
    """Sends requests on to one base URL. Nothing that a client writes changes the host."""

    def __init__(self, base_url: str, limits: Limits = Limits()) -> None:  # noqa: B008 - a frozen value
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query or parts.fragment:
            raise BadSetting(
                "upstream", base_url if not parts.username else "...", "a URL like https://api.example.com, without a name or query"
            )
        # a base that ends with the version, as client libraries take it: the version comes with the client's path
        self.base = base_url.rstrip("/").removesuffix("/v1")
        self.host = parts.netloc
        self._limits = limits
        self._client: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Upstream:
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=self._limits.connect_s, sock_read=self._limits.silent_s)
        self._client = aiohttp.ClientSession(
            timeout=timeout,
            connector=aiohttp.TCPConnector(limit=self._limits.connections),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            skip_auto_headers=_LEFT_TO_THE_CLIENT,
        )
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._client is not None:
            await self._client.close()

    async def send(self, method: str, path: str, query: str, headers: Sequence[tuple[str, str]], body: bytes) -> Answer:
        """Args: `path` as the client wrote it, still encoded, without its session; `query` without the question mark.

        Raises:
            UpstreamFailed: there is no reply.
        """
        if self._client is None:
            raise RuntimeError("use an Upstream in `async with`")
        url = URL(self.base + (path if path.startswith("/") else f"/{path}") + (f"?{query}" if query else ""), encoded=True)
        try:
            # redirects are the client's to follow: a key must not travel to another host by itself
            response = await self._client.request(method, url, headers=list(headers), data=body or None, allow_redirects=False)
        except (aiohttp.ClientError, TimeoutError) as error:
            raise UpstreamFailed(self.host, f"gave no reply ({type(error).__name__})") from None
        return Answer(self.host, response)
