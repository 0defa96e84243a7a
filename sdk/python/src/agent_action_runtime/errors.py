"""Every error: those of the package, and one for each code of the service (``NotFoundError`` for NOT_FOUND)."""

from ._api_errors import *  # noqa: F403
from ._api_errors import ERROR_TYPES as ERROR_TYPES
from ._errors import (
    ApiError as ApiError,
    ConnectionError as ConnectionError,
    DeliveryVerificationError as DeliveryVerificationError,
    MissingScopesError as MissingScopesError,
    SdkError as SdkError,
    UnexpectedReplyError as UnexpectedReplyError,
    WaitInterruptedError as WaitInterruptedError,
)
