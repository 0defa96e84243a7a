"""Plays sdk/scenario.json with the installed package against a running service: `python scenario.py SCENARIO < variables`.

`variables` is JSON: BASE_URL, the keys by their role, and what sdk/README.md says the scenario starts with. Prints a line of JSON for each
step: [name, problem or null], and stops at the first problem.
"""

import copy
import http.server
import json
import random
import re
import string
import sys
import threading
from typing import Any, Callable, Dict, List, Optional

import httpx

import agent_action_runtime as sdk

WHOLE = re.compile(r"\$\{([^}]+)\}")
Variables = Dict[str, Any]


class Receiver:
    """Answers 204 to every POST, and keeps what came by its webhook-id."""

    def __init__(self) -> None:
        self.came = threading.Condition()
        self.deliveries: Dict[str, Dict[str, Any]] = {}
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
                with receiver.came:
                    receiver.deliveries[self.headers["webhook-id"]] = {"headers": dict(self.headers), "body": body}
                    receiver.came.notify_all()
                self.send_response(204)
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"

    def receive(self, message_id: str, seconds: float) -> Dict[str, Any]:
        with self.came:
            if not self.came.wait_for(lambda: message_id in self.deliveries, seconds):
                raise AssertionError(f"no delivery of {message_id} within {seconds} s")
            return self.deliveries[message_id]


class Runner:
    def __init__(self, given: Dict[str, Any]) -> None:
        self.receiver = Receiver()
        self.variables: Variables = {
            **given["variables"],
            "receiver": {"url": self.receiver.url},
            "run": "".join(random.choices(string.ascii_lowercase + string.digits, k=8)),
        }
        self.clients = {role: sdk.Client(given["baseUrl"], key) for role, key in given["keys"].items()}
        self.does: Dict[str, Callable[..., Any]] = {
            "requireScopes": lambda client, w: client.require_scopes(w["required"], w.get("forbidden", [])),
            "call": lambda client, w: client.call(
                w["method"], w["path"], path_params=w.get("pathParams"), query=w.get("query"), body=w.get("body")
            ),
            "preview": lambda client, w: client.preview(w["action"], w["input"]),
            "invoke": self.invoke,
            "approve": lambda client, w: client.approve(w["id"], w["bindingDigest"], w.get("note")),
            "waitForApproval": lambda client, w: client.wait_for_approval(w["id"], w["seconds"]),
            "waitForInvocation": lambda client, w: client.wait_for_invocation(w["id"], w["seconds"]),
            "pages": self.pages,
            "verifyReceipt": lambda _, w: sdk.verify_receipt(w["effect"], w.get("keptHead")),
            "verifyDelivery": self.verify_delivery,
            "provider": self.provider,
            "receiveDelivery": lambda _, w: self.receiver.receive(w["messageId"], w["seconds"]),
            "set": lambda _, w: with_value(w["value"], w["path"].split("."), w["to"]),
        }

    def play(self, step: Dict[str, Any]) -> Optional[str]:
        client = self.clients[step["as"]] if "as" in step else None
        failure: Optional[sdk.SdkError] = None
        result: Any = None
        try:
            result = self.does[step["do"]](client, filled(step["with"], self.variables))
        except sdk.SdkError as error:
            failure = error
        if "fails" in step:
            return "it did not fail" if failure is None else self.wrong_error(failure, filled(step["fails"], self.variables))
        if failure is not None:
            return f"{type(failure).__name__}: {failure}"
        if "save" in step:
            self.variables[step["save"]] = result
        return wrong(result, filled(step["expect"], self.variables)) if "expect" in step else None

    def wrong_error(self, error: sdk.SdkError, fails: Dict[str, Any]) -> Optional[str]:
        if type(error).__name__ != fails["type"]:
            return f"{type(error).__name__}, not {fails['type']}: {error}"
        members = {name: getattr(error, name) for name in fails if name != "type"}
        return wrong(members, {name: value for name, value in fails.items() if name != "type"})

    def invoke(self, client: sdk.Client, w: Dict[str, Any]) -> Any:
        known = {"operationKey": "operation_key", "previewId": "preview_id", "wait": "wait"}
        options = {known[name]: value for name, value in w.get("options", {}).items()}
        return client.invoke(w["action"], w["input"], **options)

    def pages(self, client: sdk.Client, w: Dict[str, Any]) -> List[Any]:
        def list_page(**query: Any) -> sdk.Page[List[Any]]:
            return client.call_page(w["path"], path_params=w.get("pathParams"), query=query)

        return list(client.pages(list_page, **w.get("query", {})))

    def verify_delivery(self, _client: Any, w: Dict[str, Any]) -> Dict[str, Any]:
        verified = sdk.verify_delivery(
            w["headers"], w["body"], secret=w["secret"], environment_id=w["environmentId"]
        )
        return {
            "messageId": verified.message_id,
            "timestampSeconds": verified.timestamp_seconds,
            "environmentVerified": verified.environment_verified,
        }

    def provider(self, _client: Any, w: Dict[str, Any]) -> Any:
        payments = self.variables["payments"]
        headers = {"Authorization": f"Bearer {payments['key']}"}
        reply = httpx.request(w["method"], payments["url"] + w["path"], json=w.get("body"), headers=headers)
        return reply.raise_for_status().json()


def filled(value: Any, variables: Variables) -> Any:
    if isinstance(value, dict):
        return {name: filled(each, variables) for name, each in value.items()}
    if isinstance(value, list):
        return [filled(each, variables) for each in value]
    if not isinstance(value, str):
        return value
    whole = WHOLE.fullmatch(value)
    if whole is not None:
        return looked_up(variables, whole.group(1))
    return WHOLE.sub(lambda match: str(looked_up(variables, match.group(1))), value)


def looked_up(variables: Variables, path: str) -> Any:
    found: Any = variables
    for part in path.split("."):
        found = found[int(part)] if isinstance(found, list) else found[part]
    return found


def with_value(value: Any, path: List[str], to: Any) -> Any:
    changed = copy.deepcopy(value)
    place = changed
    for part in path[:-1]:
        place = place[int(part)] if isinstance(place, list) else place[part]
    place[path[-1]] = to
    return changed


def wrong(got: Any, wanted: Any, path: str = "the result") -> Optional[str]:
    if isinstance(wanted, dict) and set(wanted) == {"$in"}:
        return None if got in wanted["$in"] else f"{path} is {got!r}, none of {wanted['$in']}"
    if isinstance(wanted, dict):
        if not isinstance(got, dict):
            return f"{path} is {got!r}, no object"
        problems = (wrong(got.get(name), each, f"{path}.{name}") for name, each in wanted.items())
        return next((problem for problem in problems if problem is not None), None)
    if isinstance(wanted, list):
        if not isinstance(got, list) or len(got) != len(wanted):
            return f"{path} is {got!r}, not {len(wanted)} elements"
        problems = (wrong(one, each, f"{path}.{index}") for index, (one, each) in enumerate(zip(got, wanted)))
        return next((problem for problem in problems if problem is not None), None)
    return None if got == wanted else f"{path} is {got!r}, not {wanted!r}"


if __name__ == "__main__":
    runner = Runner(json.load(sys.stdin))
    for each in json.loads(open(sys.argv[1], encoding="utf-8").read())["steps"]:
        problem = runner.play(each)
        print(json.dumps([each["name"], problem]), flush=True)
        if problem is not None:
            break
