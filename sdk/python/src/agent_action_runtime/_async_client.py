"""The asynchronous client: the same as the blocking one, awaited."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Any, AsyncIterator, Awaitable, Callable, Iterable, List, Mapping, Optional, Sequence, Type, TypeVar, Union

import httpx

from . import _flows
from ._connection import connection_of
from ._async_operations import AsyncOperations
from ._requests import Page, Request
from .types import ActionPreview, Approval, ApproveRequest, Invocation, ToolExport

T = TypeVar("T")


class AsyncClient(AsyncOperations):
    """As Client, for asyncio: ``await client.actions.get("demo.echo")``.

    ``base_url`` and ``api_key`` are read from BASE_URL and API_KEY unless they are given. ``http`` is an httpx client of your own,
    which you close yourself.
    """

    def __init__(
        self,
        base_url: Optional[str] = None,
        api_key: Optional[str] = None,
        *,
        http: Optional[httpx.AsyncClient] = None,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._connection = connection_of(base_url, api_key)
        self._http = httpx.AsyncClient() if http is None else http
        self._owns_http = http is None
        self._sleep = sleep
        super().__init__(self)

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        await self.close()

    async def close(self) -> None:
        if self._owns_http:
            await self._http.aclose()

    def __repr__(self) -> str:
        return f"AsyncClient({self._connection.base_url!r})"

    async def invoke(
        self,
        action: str,
        input: Mapping[str, Any],
        *,
        operation_key: Optional[str] = None,
        wait: float = 0,
        preview_id: Optional[str] = None,
        retry_of: Optional[str] = None,
        depends_on: Optional[Sequence[str]] = None,
        compensates: Optional[str] = None,
        run_id: Optional[str] = None,
        agent_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Invocation:
        """Invokes an action and answers with the invocation: read its ``status`` and ``grade``.

        A refusal and an unknown outcome are answers and no errors, and nothing is sent again for them. ``operation_key`` names the
        operation for good: the same call with it gets the same invocation. ``wait`` (seconds) reads on until the invocation is at rest,
        unknown included, or the time is over. ``idempotency_key`` is only for asking again what became of a call that got no reply:
        ConnectionError has it.
        """
        body = {
            "input": dict(input),
            "operationKey": operation_key,
            "previewId": preview_id,
            "retryOf": retry_of,
            "dependsOn": None if depends_on is None else list(depends_on),
            "compensates": compensates,
            "runId": run_id,
            "agentId": agent_id,
        }
        return await self._run(_flows.invoke(action, body, wait=wait, idempotency_key=idempotency_key))

    async def preview(self, action: str, input: Mapping[str, Any]) -> ActionPreview:
        """Exactly what an invocation would send. Nothing is sent. Invoke with its id as ``preview_id``."""
        return await self.previews.create(action, {"input": dict(input)})

    async def wait_for_invocation(self, id: str, seconds: float = 60) -> Invocation:
        """Reads an invocation until its outcome is known, or the time is over."""
        return await self._run(_flows.wait_for_invocation(id, seconds))

    async def wait_for_approval(self, id: str, seconds: float = 60) -> Approval:
        """Reads an approval until it is no longer pending, or the time is over."""
        return await self._run(_flows.wait_for_approval(id, seconds))

    async def approve(self, id: str, binding_digest: str, note: Optional[str] = None) -> Approval:
        """Agrees to what has this digest, and to nothing else: pass the one of the approval that a person has read."""
        body: ApproveRequest = {"bindingDigest": binding_digest}
        if note is not None:
            body["note"] = note
        return await self.approvals.approve(id, body)

    async def deny(self, id: str, note: str) -> Approval:
        return await self.approvals.deny(id, {"note": note})

    async def require_scopes(self, required: Iterable[str], forbidden: Iterable[str] = ()) -> None:
        """Fails with MissingScopesError unless the key has every required scope and no forbidden one. Call it when a program starts."""
        await self._run(_flows.require_scopes(required, forbidden))

    async def tools(self, format: str, *, actions: Optional[str] = None) -> ToolExport:
        """Every action as a tool of ``openai``, ``anthropic`` or ``mcp``. ``actions`` narrows it: ``"refund.*,order.get"``."""
        return await self._run(_flows.tools(format, actions))

    async def pages(self, list_page: Callable[..., Awaitable[Page[List[T]]]], *args: Any, **filters: Any) -> AsyncIterator[T]:
        """Every item of a list, page after page: ``client.pages(client.approvals.list, status="pending")``."""
        unseen = _flows.Unseen()
        number = filters.pop("page", None) or 1
        while True:
            page = await list_page(*args, page=number, **filters)
            for item in unseen.of(page):
                yield item
            if not page.pagination["hasMore"]:
                return
            number += 1

    async def call(
        self,
        method: str,
        path: str,
        *,
        path_params: Optional[Mapping[str, str]] = None,
        query: Optional[Mapping[str, Any]] = None,
        body: Any = None,
        idempotency_key: Optional[str] = None,
    ) -> Any:
        """Any operation by its path in the API description, such as ``/api/v2/actions/{ref}``. Answers with the ``data`` of the reply."""
        return await self._run(
            _flows.call(method, path, path_params=path_params, query=query, body=body, idempotency_key=idempotency_key)
        )

    async def call_page(
        self, path: str, *, path_params: Optional[Mapping[str, str]] = None, query: Optional[Mapping[str, Any]] = None
    ) -> Page[Any]:
        """One page of any list."""
        return await self._run(_flows.call_page("GET", path, path_params=path_params, query=query))

    async def _run(self, flow: _flows.Flow[T]) -> T:
        try:
            step: Union[Request, float] = next(flow)
            while True:
                if not isinstance(step, Request):
                    await self._sleep(step)
                    step = next(flow)
                    continue
                try:
                    response = await self._http.request(**self._connection.of(step))
                except httpx.RequestError as error:
                    step = flow.throw(error)
                else:
                    step = flow.send(response)
        except StopIteration as end:
            result: T = end.value
            return result
