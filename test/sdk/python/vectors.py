"""Plays sdk/vectors with the installed package: `python vectors.py FOLDER`. Prints a line of JSON for each case: [file, name, problem or null]."""

import asyncio
import base64
import json
import re
import sys
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple, Union

import httpx

import agent_action_runtime as sdk
from agent_action_runtime import errors, receipts

BASE_URL = "https://service.example"
API_KEY = "service_live_0123456789abcdefghijABCDEFGHIJ01"
KEY = re.compile(r"[!-~](?:[ -~]{0,253}[!-~])?")


def play_delivery(case: Dict[str, Any]) -> Optional[str]:
    body = base64.b64decode(case["bodyBase64"]) if "bodyBase64" in case else case["body"]
    options = case.get("options", {})
    got: Dict[str, Any]
    try:
        verified = sdk.verify_delivery(
            case["headers"],
            body,
            secret=case["secret"],
            environment_id=case["environmentId"],
            tolerance_seconds=options.get("toleranceSeconds", 300),
            accept_v1_only=options.get("acceptV1Only", False),
            now=case["now"],
        )
        got = {
            "valid": True,
            "messageId": verified.message_id,
            "timestampSeconds": verified.timestamp_seconds,
            "environmentVerified": verified.environment_verified,
        }
    except sdk.DeliveryVerificationError as error:
        got = {"valid": False, "reason": error.reason}
    return differs(got, case["expect"])


def play_receipt(case: Dict[str, Any]) -> Optional[str]:
    return differs(sdk.verify_receipt(case["effect"], case.get("keptHead")), case["expect"])


def play_malformed(case: Dict[str, Any]) -> Optional[str]:
    try:
        return f"no TypeError but {sdk.verify_receipt(case['effect'])}"
    except TypeError:
        return None


def play_text(case: Dict[str, Any]) -> Optional[str]:
    return differs(receipts.canonical_text(case["value"]), case["text"])


def play_scopes(case: Dict[str, Any]) -> Optional[str]:
    transport = httpx.MockTransport(lambda request: httpx.Response(200, json=case["reply"]))
    got: Dict[str, Any] = {"passes": True}
    try:
        client_of(transport).require_scopes(case["required"], case.get("forbidden", []))
    except sdk.MissingScopesError as error:
        got = {"passes": False, "missing": error.missing, "forbidden": error.forbidden, "malformed": error.malformed}
    return differs(got, case["expect"])


def play_error(case: Dict[str, Any]) -> Optional[str]:
    reply = httpx.Response(case["status"], headers=case["headers"], content=case["body"].encode())
    try:
        client_of(httpx.MockTransport(lambda request: reply)).call(
            "POST", "/api/v2/actions/effects/{id}/reconcile", path_params={"id": "eff_1"}
        )
    except sdk.SdkError as error:
        return has_members(error, case["expect"])
    return "no error"


def play_key(case: Dict[str, Any]) -> Optional[str]:
    exchange = Exchange([{"status": 200, "body": {"success": True, "data": {"status": "succeeded"}}}])
    try:
        client_of(exchange.transport).invoke("a", {}, idempotency_key=case["key"])
        accepted = True
    except ValueError:
        accepted = False
    if not accepted and exchange.sent:
        return "it was sent"
    return differs(accepted, case["valid"])


def play_path(case: Dict[str, Any]) -> Optional[str]:
    exchange = Exchange([{"status": 200, "body": {"success": True, "data": {"status": "succeeded"}}}])
    try:
        client_of(exchange.transport).invoke(case["segment"], {})
        refused = False
    except ValueError:
        refused = True
    if refused != (case["path"] is None):
        return "it was refused" if refused else "it was not refused"
    return differs([request.url.raw_path.decode() for request in exchange.sent], [] if refused else [case["path"]])


class Exchange:
    """A transport that answers one reply after the other, and keeps what was sent."""

    def __init__(self, replies: List[Dict[str, Any]]) -> None:
        self.replies = iter(replies)
        self.sent: List[httpx.Request] = []
        self.transport = httpx.MockTransport(self._answer)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.sent.append(request)
        reply = next(self.replies, None)
        if reply is None:
            raise AssertionError("more was sent than there are replies")
        if "fails" in reply:
            raise httpx.ConnectError("refused", request=request)
        body = reply["body"]
        content = body if isinstance(body, str) else json.dumps(body)
        return httpx.Response(reply["status"], headers=reply.get("headers"), content=content.encode())


def play_exchange(case: Dict[str, Any]) -> Optional[str]:
    exchange = Exchange(case["replies"])
    outcome: Union[Any, Exception]
    try:
        outcome = OPERATIONS[case["call"]["operation"]](client_of(exchange.transport), case["call"])
    except (sdk.SdkError, AssertionError) as error:
        outcome = error
    return judge_exchange(case, exchange, outcome)


def play_exchange_async(case: Dict[str, Any]) -> Optional[str]:
    """The same by the asynchronous client."""
    exchange = Exchange(case["replies"])

    async def no_pause(_seconds: float) -> None:
        pass

    async def run() -> Any:
        async with httpx.AsyncClient(transport=exchange.transport) as http:
            client = sdk.AsyncClient(BASE_URL, API_KEY, http=http, sleep=no_pause)
            return await ASYNC_OPERATIONS[case["call"]["operation"]](client, case["call"])

    outcome: Union[Any, Exception]
    try:
        outcome = asyncio.run(run())
    except (sdk.SdkError, AssertionError) as error:
        outcome = error
    return judge_exchange(case, exchange, outcome)


def judge_exchange(case: Dict[str, Any], exchange: Exchange, outcome: Any) -> Optional[str]:
    sent = wrong_requests(exchange.sent, case["requests"])
    if sent is not None:
        return sent
    expect = case["expect"]
    if "error" in expect:
        if not isinstance(outcome, sdk.SdkError):
            return f"no error but {outcome}"
        last_key = exchange.sent[-1].headers.get("idempotency-key")
        return has_members(outcome, {**expect["error"], **({"idempotencyKey": last_key} if "idempotencyKey" in expect["error"] else {})})
    if isinstance(outcome, Exception):
        return f"{type(outcome).__name__}: {outcome}"
    if "items" in expect:
        return differs(outcome, [{"id": item} if isinstance(item, str) else item for item in expect["items"]])
    return has(outcome, expect["result"])


def wrong_requests(sent: List[httpx.Request], expected: List[Dict[str, Any]]) -> Optional[str]:
    if len(sent) != len(expected):
        return f"{len(sent)} requests and not {len(expected)}"
    previous: Tuple[Optional[str], bytes] = (None, b"")
    for request, wanted in zip(sent, expected):
        raw = request.url.raw_path.decode().partition("?")[0]
        key = request.headers.get("idempotency-key")
        query = dict(request.url.params.multi_items())
        body = json.loads(request.content) if request.content else None
        problems = [
            differs(request.method, wanted["method"]),
            differs(raw, wanted["path"]),
            differs(request.headers.get("authorization"), f"Bearer {API_KEY}"),
            differs(query, wanted["query"]) if "query" in wanted else None,
            *(None if name in query else f"no {name} in the query" for name in wanted.get("queryNames", [])),
            differs(body, wanted["body"]) if "body" in wanted else None,
            wrong_key(key, request.content, wanted["idempotencyKey"], previous),
        ]
        found = next((problem for problem in problems if problem is not None), None)
        if found is not None:
            return found
        previous = (key, request.content)
    return None


SEEN_KEYS = set()


def wrong_key(key: Optional[str], content: bytes, wanted: str, previous: Tuple[Optional[str], bytes]) -> Optional[str]:
    if wanted == "none":
        return None if key is None else f"an Idempotency-Key: {key}"
    if wanted == "same":
        return None if (key, content) == previous else "another key, or other bytes, than the request before"
    if wanted != "fresh":
        return differs(key, wanted)
    if key is None or KEY.fullmatch(key) is None or key in SEEN_KEYS:
        return f"no fresh Idempotency-Key: {key}"
    SEEN_KEYS.add(key)
    return None


def client_of(transport: httpx.MockTransport) -> sdk.Client:
    return sdk.Client(BASE_URL, API_KEY, http=httpx.Client(transport=transport), sleep=lambda seconds: None)


def call_arguments(call: Dict[str, Any]) -> Dict[str, Any]:
    return {"path_params": call.get("pathParams"), "query": call.get("query"), "body": call.get("body")}


def invoke_arguments(call: Dict[str, Any]) -> Dict[str, Any]:
    options = call.get("options", {})
    known = {"operationKey": "operation_key", "idempotencyKey": "idempotency_key", "wait": "wait"}
    return {known[name]: value for name, value in options.items()}


def pages_of(client: sdk.Client, call: Dict[str, Any]) -> List[Any]:
    items: List[Any] = []
    for item in client.pages(lambda **query: client.call_page(call["path"], query=query), **call["query"]):
        items.append(item)
        if len(items) == call.get("take"):
            break
    return items


async def async_pages_of(client: sdk.AsyncClient, call: Dict[str, Any]) -> List[Any]:
    items: List[Any] = []
    async for item in client.pages(lambda **query: client.call_page(call["path"], query=query), **call["query"]):
        items.append(item)
        if len(items) == call.get("take"):
            break
    return items


# Either client: the asynchronous one answers an awaitable.
COMMON: Dict[str, Callable[[Any, Dict[str, Any]], Any]] = {
    "call": lambda client, call: client.call(call["method"], call["path"], **call_arguments(call)),
    "invoke": lambda client, call: client.invoke(call["action"], call["input"], **invoke_arguments(call)),
    "waitForInvocation": lambda client, call: client.wait_for_invocation(call["id"], call["seconds"]),
    "waitForApproval": lambda client, call: client.wait_for_approval(call["id"], call["seconds"]),
}
OPERATIONS = {**COMMON, "pages": pages_of}
ASYNC_OPERATIONS = {**COMMON, "pages": async_pages_of}

MEMBERS = {"requestId": "request_id", "retryAfterSeconds": "retry_after_seconds", "idempotencyKey": "idempotency_key"}


def has_members(error: BaseException, expect: Dict[str, Any]) -> Optional[str]:
    for name, wanted in expect.items():
        if name == "type":
            problem = differs(type(error).__name__, wanted)
        elif name == "cause":
            problem = differs(type(error.__cause__).__name__, wanted)
        else:
            problem = has(getattr(error, MEMBERS.get(name, name)), wanted)
        if problem is not None:
            return f"{name}: {problem}"
    return None


def has(got: Any, wanted: Any) -> Optional[str]:
    """A wanted object names members; everything else is equal."""
    if isinstance(wanted, dict) and isinstance(got, dict):
        return next((problem for name in wanted if (problem := has(got.get(name), wanted[name])) is not None), None)
    return differs(got, wanted)


def differs(got: Any, wanted: Any) -> Optional[str]:
    return None if got == wanted and type(got) == type(wanted) else f"{got!r} and not {wanted!r}"


def play_code(case: Dict[str, Any]) -> Optional[str]:
    known = errors.ERROR_TYPES.get(case["code"])
    return differs(known and known.__name__, case["type"])


Player = Callable[[Dict[str, Any]], Optional[str]]
PLAYERS: Dict[Tuple[str, str], List[Player]] = {
    ("deliveries.json", "deliveries"): [play_delivery],
    ("deliveries.json", "signatures"): [],  # for senders
    ("receipts.json", "canonicalTexts"): [play_text],
    ("receipts.json", "receipts"): [play_receipt],
    ("receipts.json", "malformed"): [play_malformed],
    ("scopes.json", "checks"): [play_scopes],
    ("errors.json", "replies"): [play_error],
    ("error-codes.json", "codes"): [play_code],
    ("exchanges.json", "exchanges"): [play_exchange, play_exchange_async],
    ("exchanges.json", "idempotencyKeys"): [play_key],
    ("exchanges.json", "pathSegments"): [play_path],
}


def play(folder: Path) -> Iterator[Tuple[str, str, Optional[str]]]:
    for file in sorted(folder.glob("*.json")):
        for section, cases in json.loads(file.read_text(encoding="utf-8")).items():
            # A section that nobody plays is an error: a vector is for every SDK.
            for player in PLAYERS[(file.name, section)]:
                for case in cases:
                    yield f"{file.name} {player.__name__}", case.get("name") or case["code"], player(case)


if __name__ == "__main__":
    for line in play(Path(sys.argv[1])):
        print(json.dumps(line))
