"""An error for each code of the service. Made by `npm run openapi`; do not change it by hand."""

from typing import Dict, Type

from ._errors import ApiError


class AuthenticationError(ApiError):
    """AUTHENTICATION_ERROR. Authentication failed. Send a valid API key as "Authorization: Bearer <API_KEY>"."""


class AuthorizationError(ApiError):
    """AUTHORIZATION_ERROR. This credential may not do that."""


class RateLimitExceededError(ApiError):
    """RATE_LIMIT_EXCEEDED. Too many requests. Wait until the next minute."""


class QuotaExceededError(ApiError):
    """QUOTA_EXCEEDED. A monthly allowance or resource cap of the plan is reached."""


class BudgetExceededError(ApiError):
    """BUDGET_EXCEEDED. The monthly budget of this API key is reached."""


class BudgetReconciliationRequiredError(ApiError):
    """BUDGET_RECONCILIATION_REQUIRED. The usage of this API key is unknown; an operator must reconcile its budget."""


class BudgetEffectAlreadyReservedError(ApiError):
    """BUDGET_EFFECT_ALREADY_RESERVED. This request was admitted before and its recorded reply is gone. Read the invocation instead of running it again."""


class ValidationError(ApiError):
    """VALIDATION_ERROR. The request is not valid. See details.issues."""


class FeatureNotAvailableError(ApiError):
    """FEATURE_NOT_AVAILABLE. The plan of this workspace does not include this capability."""


class ExpensiveWorkPausedError(ApiError):
    """EXPENSIVE_WORK_PAUSED. New expensive work is paused for all workspaces. Reading and deleting still work."""


class NotFoundError(ApiError):
    """NOT_FOUND. No such resource where this credential can see it."""


class PreviewMismatchError(ApiError):
    """PREVIEW_MISMATCH. The request differs from the preview. Make a new preview."""


class PreviewExpiredError(ApiError):
    """PREVIEW_EXPIRED. The preview has expired. Make a new preview."""


class PreviewAlreadyUsedError(ApiError):
    """PREVIEW_ALREADY_USED. The preview was used already. Make a new preview."""


class OperationKeyReuseError(ApiError):
    """OPERATION_KEY_REUSE. This operation key belongs to another request. Use a new key for a new operation; see details.invocationId for the old one."""


class IdempotencyKeyReuseError(ApiError):
    """idempotency_key_reuse. This Idempotency-Key was used for a different request. Use a new key."""


class IdempotencyRequestInProgressError(ApiError):
    """idempotency_request_in_progress. A request with this Idempotency-Key is still in progress. Send it again later with the same key."""


class EffectResolutionRequiredError(ApiError):
    """EFFECT_RESOLUTION_REQUIRED. An effect governs this invocation. Resolve the effect instead; its id is in details.effectId."""


class UserIdentityRequiredError(ApiError):
    """USER_IDENTITY_REQUIRED. This operation needs a signed-in user; an API key has none."""


class SecondFactorRequiredError(ApiError):
    """SECOND_FACTOR_REQUIRED. Confirm with your passkey, then send this again. See details.step."""


class PaidPlansUnavailableError(ApiError):
    """PAID_PLANS_UNAVAILABLE. Paid plans are not open yet."""


class HttpsRequiredError(ApiError):
    """HTTPS_REQUIRED. Use HTTPS."""


class PlanStaleError(ApiError):
    """PLAN_STALE. The approval policies changed after this plan was made. Nothing was changed. Make a new plan from the files, look at it, and apply that one."""


class ConflictError(ApiError):
    """CONFLICT. The request conflicts with the present state of the resource."""


class MethodNotAllowedError(ApiError):
    """METHOD_NOT_ALLOWED. This path does not answer that method. See details.allowed."""


class NotAcceptableError(ApiError):
    """NOT_ACCEPTABLE. This service answers application/json."""


class PayloadTooLargeError(ApiError):
    """PAYLOAD_TOO_LARGE. The request body is too large."""


class UnsupportedMediaTypeError(ApiError):
    """UNSUPPORTED_MEDIA_TYPE. Send the body as application/json."""


class RangeNotSatisfiableError(ApiError):
    """RANGE_NOT_SATISFIABLE. The file ends before this range begins. Its size is in details.size."""


class InternalError(ApiError):
    """INTERNAL_ERROR. Something went wrong on our side. Quote the requestId when you report it."""


class ServiceUnavailableError(ApiError):
    """SERVICE_UNAVAILABLE. The service cannot take this request now. Send it again with the same Idempotency-Key."""


ERROR_TYPES: Dict[str, Type[ApiError]] = {
    "AUTHENTICATION_ERROR": AuthenticationError,
    "AUTHORIZATION_ERROR": AuthorizationError,
    "RATE_LIMIT_EXCEEDED": RateLimitExceededError,
    "QUOTA_EXCEEDED": QuotaExceededError,
    "BUDGET_EXCEEDED": BudgetExceededError,
    "BUDGET_RECONCILIATION_REQUIRED": BudgetReconciliationRequiredError,
    "BUDGET_EFFECT_ALREADY_RESERVED": BudgetEffectAlreadyReservedError,
    "VALIDATION_ERROR": ValidationError,
    "FEATURE_NOT_AVAILABLE": FeatureNotAvailableError,
    "EXPENSIVE_WORK_PAUSED": ExpensiveWorkPausedError,
    "NOT_FOUND": NotFoundError,
    "PREVIEW_MISMATCH": PreviewMismatchError,
    "PREVIEW_EXPIRED": PreviewExpiredError,
    "PREVIEW_ALREADY_USED": PreviewAlreadyUsedError,
    "OPERATION_KEY_REUSE": OperationKeyReuseError,
    "idempotency_key_reuse": IdempotencyKeyReuseError,
    "idempotency_request_in_progress": IdempotencyRequestInProgressError,
    "EFFECT_RESOLUTION_REQUIRED": EffectResolutionRequiredError,
    "USER_IDENTITY_REQUIRED": UserIdentityRequiredError,
    "SECOND_FACTOR_REQUIRED": SecondFactorRequiredError,
    "PAID_PLANS_UNAVAILABLE": PaidPlansUnavailableError,
    "HTTPS_REQUIRED": HttpsRequiredError,
    "PLAN_STALE": PlanStaleError,
    "CONFLICT": ConflictError,
    "METHOD_NOT_ALLOWED": MethodNotAllowedError,
    "NOT_ACCEPTABLE": NotAcceptableError,
    "PAYLOAD_TOO_LARGE": PayloadTooLargeError,
    "UNSUPPORTED_MEDIA_TYPE": UnsupportedMediaTypeError,
    "RANGE_NOT_SATISFIABLE": RangeNotSatisfiableError,
    "INTERNAL_ERROR": InternalError,
    "SERVICE_UNAVAILABLE": ServiceUnavailableError,
}

__all__ = ["AuthenticationError", "AuthorizationError", "RateLimitExceededError", "QuotaExceededError", "BudgetExceededError", "BudgetReconciliationRequiredError", "BudgetEffectAlreadyReservedError", "ValidationError", "FeatureNotAvailableError", "ExpensiveWorkPausedError", "NotFoundError", "PreviewMismatchError", "PreviewExpiredError", "PreviewAlreadyUsedError", "OperationKeyReuseError", "IdempotencyKeyReuseError", "IdempotencyRequestInProgressError", "EffectResolutionRequiredError", "UserIdentityRequiredError", "SecondFactorRequiredError", "PaidPlansUnavailableError", "HttpsRequiredError", "PlanStaleError", "ConflictError", "MethodNotAllowedError", "NotAcceptableError", "PayloadTooLargeError", "UnsupportedMediaTypeError", "RangeNotSatisfiableError", "InternalError", "ServiceUnavailableError"]
