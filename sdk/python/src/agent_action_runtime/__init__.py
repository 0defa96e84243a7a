"""The Agent action runtime for Python. See the README of the package."""

from ._async_client import AsyncClient
from ._client import Client
from ._errors import (
    ApiError,
    ConnectionError,
    DeliveryVerificationError,
    MissingScopesError,
    SdkError,
    UnexpectedReplyError,
    WaitInterruptedError,
)
from ._requests import Page
from .deliveries import VerifiedDelivery, verify_delivery
from .receipts import VerifiedReceipt, verify_receipt

__version__ = "2.0.0"

__all__ = [
    "ApiError",
    "AsyncClient",
    "Client",
    "ConnectionError",
    "DeliveryVerificationError",
    "MissingScopesError",
    "Page",
    "SdkError",
    "UnexpectedReplyError",
    "VerifiedDelivery",
    "VerifiedReceipt",
    "WaitInterruptedError",
    "verify_delivery",
    "verify_receipt",
]
