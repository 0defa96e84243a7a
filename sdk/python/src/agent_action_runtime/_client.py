"""The blocking client."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Any, Callable, Iterable, Iterator, List, Mapping, Optional, Sequence, Type, TypeVar, Union

import httpx

from . import _flows
from ._connection import connection_of
from ._operations import Operations
from ._requests import Page, Request
from .types import ActionPreview, Approval, ApproveRequest, Invocation, ToolExport

T = TypeVar("T")


class Client(Operations):
    """The service, for one API key. Every operation stands under its area: ``client.actions.get("demo.echo")``.

    ``base_url`` and ``api_key`` are read from BASE_URL and API_KEY unless they are given. ``http`` is an httpx client of your own,
    which you close yourself.
    """

    def __init__(
        self,
        base_url: Optional[str] = None,
        api_key: Optional[str] = None,
        *,
        http: Optional[httpx.Client] = None,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self._connection = connection_of(base_url, api_key)
        self._http = httpx.Client() if http is None else http
        self._owns_http = http is None
        self._sleep = sleep
        super().__init__(self)

    def __enter__(self) -> "Client":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def close(self) -> None:
        if self._owns_http:
            self._http.close()

    def __repr__(self) -> str:
        return f"Client({self._connection.base_url!r})"

    def invoke(
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
        return self._run(_flows.invoke(action, body, wait=wait, idempotency_key=idempotency_key))

    def preview(self, action: str, input: Mapping[str, Any]) -> ActionPreview:
        """Exactly what an invocation would send. Nothing is sent. Invoke with its id as ``preview_id``."""
        return self.previews.create(action, {"input": dict(input)})

    def wait_for_invocation(self, id: str, seconds: float = 60) -> Invocation:
        """Reads an invocation until its outcome is known, or the time is over."""
        return self._run(_flows.wait_for_invocation(id, seconds))

    def wait_for_approval(self, id: str, seconds: float = 60) -> Approval:
        """Reads an approval until it is no longer pending, or the time is over."""
        return self._run(_flows.wait_for_approval(id, seconds))

    def approve(self, id: str, binding_digest: str, note: Optional[str] = None) -> Approval:
        """Agrees to what has this digest, and to nothing else: pass the one of the approval that a person has read."""
        body: ApproveRequest = {"bindingDigest": binding_digest}
        if note is not None:
            body["note"] = note
        return self.approvals.approve(id, body)

    def deny(self, id: str, note: str) -> Approval:
        return self.approvals.deny(id, {"note": note})

    def require_scopes(self, required: Iterable[str], forbidden: Iterable[str] = ()) -> None:
        """Fails with MissingScopesError unless the key has every required scope and no forbidden one. Call it when a program starts."""
        self._run(_flows.require_scopes(required, forbidden))

    def tools(self, format: str, *, actions: Optional[str] = None) -> ToolExport:
        """Every action as a tool of ``openai``, ``anthropic`` or ``mcp``. ``actions`` narrows it: ``"refund.*,order.get"``."""
        return self._run(_flows.tools(format, actions))

    def pages(self, list_page: Callable[..., Page[List[T]]], *args: Any, **filters: Any) -> Iterator[T]:
        """Every item of a list, page after page: ``client.pages(client.approvals.list, status="pending")``."""
        unseen = _flows.Unseen()
        number = filters.pop("page", None) or 1
        while True:
            page = list_page(*args, page=number, **filters)
            yield from unseen.of(page)
            if not page.pagination["hasMore"]:
                return
            number += 1

    def call(
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
        return self._run(
            _flows.call(method, path, path_params=path_params, query=query, body=body, idempotency_key=idempotency_key)
        )

    def call_page(
        self, path: str, *, path_params: Optional[Mapping[str, str]] = None, query: Optional[Mapping[str, Any]] = None
    ) -> Page[Any]:
        """One page of any list."""
        return self._run(_flows.call_page("GET", path, path_params=path_params, query=query))

    def _run(self, flow: _flows.Flow[T]) -> T:
        try:
            step: Union[Request, float] = next(flow)
            while True:
                if not isinstance(step, Request):
                    self._sleep(step)
                    step = next(flow)
                    continue
                try:
                    response = self._http.request(**self._connection.of(step))
                except httpx.RequestError as error:
                    step = flow.throw(error)
                else:
                    step = flow.send(response)
        except StopIteration as end:
            result: T = end.value
            return result
