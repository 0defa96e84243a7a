"""Where the service is and who asks."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import Any, Dict, Optional

import httpx

from ._requests import CONNECT_TIMEOUT_SECONDS, Request

_API_KEY = re.compile(r"[!-~]+")


@dataclass(frozen=True)
class Connection:
    base_url: str
    api_key: str = field(repr=False)

    def of(self, request: Request) -> Dict[str, Any]:
        """The arguments of httpx. Redirects are never followed: the key would go to another host."""
        headers = {"Authorization": f"Bearer {self.api_key}", "Accept": "application/json"}
        if request.content is not None:
            headers["Content-Type"] = "application/json"
        if request.idempotency_key is not None:
            headers["Idempotency-Key"] = request.idempotency_key
        return {
            "method": request.method,
            "url": f"{self.base_url}{request.path}",
            "params": list(request.query),
            "headers": headers,
            "content": request.content,
            "timeout": httpx.Timeout(request.read_timeout_seconds, connect=CONNECT_TIMEOUT_SECONDS),
            "follow_redirects": False,
        }


def connection_of(base_url: Optional[str], api_key: Optional[str]) -> Connection:
    """Raises ValueError where something is missing or cannot be. No message holds the key."""
    url = base_url if base_url is not None else os.environ.get("BASE_URL", "")
    key = api_key if api_key is not None else os.environ.get("API_KEY", "")
    if not re.match(r"https?://[^/?#]+", url):
        raise ValueError("name the service: Client(base_url=…) or BASE_URL, an http or https URL")
    if _API_KEY.fullmatch(key) is None:
        raise ValueError("name the credential: Client(api_key=…) or API_KEY, without white space")
    return Connection(url.rstrip("/"), key)
