// Generated from the error table of the service by `npm run openapi`. Do not edit.
import { ApiError, type ApiErrorFacts } from '../api-error.ts';

/** `AUTHENTICATION_ERROR`: Authentication failed. Send a valid API key as "Authorization: Bearer <API_KEY>". */
export class AuthenticationError extends ApiError {
  override readonly name = 'AuthenticationError';
}

/** `AUTHORIZATION_ERROR`: This credential may not do that. */
export class AuthorizationError extends ApiError {
  override readonly name = 'AuthorizationError';
}

/** `RATE_LIMIT_EXCEEDED`: Too many requests. Wait until the next minute. */
export class RateLimitExceededError extends ApiError {
  override readonly name = 'RateLimitExceededError';
}

/** `QUOTA_EXCEEDED`: A monthly allowance or resource cap of the plan is reached. */
export class QuotaExceededError extends ApiError {
  override readonly name = 'QuotaExceededError';
}

/** `BUDGET_EXCEEDED`: The monthly budget of this API key is reached. */
export class BudgetExceededError extends ApiError {
  override readonly name = 'BudgetExceededError';
}

/** `BUDGET_RECONCILIATION_REQUIRED`: The usage of this API key is unknown; an operator must reconcile its budget. */
export class BudgetReconciliationRequiredError extends ApiError {
  override readonly name = 'BudgetReconciliationRequiredError';
}

/** `BUDGET_EFFECT_ALREADY_RESERVED`: This request was admitted before and its recorded reply is gone. Read the invocation instead of running it again. */
export class BudgetEffectAlreadyReservedError extends ApiError {
  override readonly name = 'BudgetEffectAlreadyReservedError';
}

/** `VALIDATION_ERROR`: The request is not valid. See details.issues. */
export class ValidationError extends ApiError {
  override readonly name = 'ValidationError';
}

/** `FEATURE_NOT_AVAILABLE`: The plan of this workspace does not include this capability. */
export class FeatureNotAvailableError extends ApiError {
  override readonly name = 'FeatureNotAvailableError';
}

/** `EXPENSIVE_WORK_PAUSED`: New expensive work is paused for all workspaces. Reading and deleting still work. */
export class ExpensiveWorkPausedError extends ApiError {
  override readonly name = 'ExpensiveWorkPausedError';
}

/** `NOT_FOUND`: No such resource where this credential can see it. */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError';
}

/** `PREVIEW_MISMATCH`: The request differs from the preview. Make a new preview. */
export class PreviewMismatchError extends ApiError {
  override readonly name = 'PreviewMismatchError';
}

/** `PREVIEW_EXPIRED`: The preview has expired. Make a new preview. */
export class PreviewExpiredError extends ApiError {
  override readonly name = 'PreviewExpiredError';
}

/** `PREVIEW_ALREADY_USED`: The preview was used already. Make a new preview. */
export class PreviewAlreadyUsedError extends ApiError {
  override readonly name = 'PreviewAlreadyUsedError';
}

/** `OPERATION_KEY_REUSE`: This operation key belongs to another request. Use a new key for a new operation; see details.invocationId for the old one. */
export class OperationKeyReuseError extends ApiError {
  override readonly name = 'OperationKeyReuseError';
}

/** `idempotency_key_reuse`: This Idempotency-Key was used for a different request. Use a new key. */
export class IdempotencyKeyReuseError extends ApiError {
  override readonly name = 'IdempotencyKeyReuseError';
}

/** `idempotency_request_in_progress`: A request with this Idempotency-Key is still in progress. Send it again later with the same key. */
export class IdempotencyRequestInProgressError extends ApiError {
  override readonly name = 'IdempotencyRequestInProgressError';
}

/** `EFFECT_RESOLUTION_REQUIRED`: An effect governs this invocation. Resolve the effect instead; its id is in details.effectId. */
export class EffectResolutionRequiredError extends ApiError {
  override readonly name = 'EffectResolutionRequiredError';
}

/** `USER_IDENTITY_REQUIRED`: This operation needs a signed-in user; an API key has none. */
export class UserIdentityRequiredError extends ApiError {
  override readonly name = 'UserIdentityRequiredError';
}

/** `SECOND_FACTOR_REQUIRED`: Confirm with your passkey, then send this again. See details.step. */
export class SecondFactorRequiredError extends ApiError {
  override readonly name = 'SecondFactorRequiredError';
}

/** `PAID_PLANS_UNAVAILABLE`: Paid plans are not open yet. */
export class PaidPlansUnavailableError extends ApiError {
  override readonly name = 'PaidPlansUnavailableError';
}

/** `HTTPS_REQUIRED`: Use HTTPS. */
export class HttpsRequiredError extends ApiError {
  override readonly name = 'HttpsRequiredError';
}

/** `PLAN_STALE`: The approval policies changed after this plan was made. Nothing was changed. Make a new plan from the files, look at it, and apply that one. */
export class PlanStaleError extends ApiError {
  override readonly name = 'PlanStaleError';
}

/** `CONFLICT`: The request conflicts with the present state of the resource. */
export class ConflictError extends ApiError {
  override readonly name = 'ConflictError';
}

/** `METHOD_NOT_ALLOWED`: This path does not answer that method. See details.allowed. */
export class MethodNotAllowedError extends ApiError {
  override readonly name = 'MethodNotAllowedError';
}

/** `NOT_ACCEPTABLE`: This service answers application/json. */
export class NotAcceptableError extends ApiError {
  override readonly name = 'NotAcceptableError';
}

/** `PAYLOAD_TOO_LARGE`: The request body is too large. */
export class PayloadTooLargeError extends ApiError {
  override readonly name = 'PayloadTooLargeError';
}

/** `UNSUPPORTED_MEDIA_TYPE`: Send the body as application/json. */
export class UnsupportedMediaTypeError extends ApiError {
  override readonly name = 'UnsupportedMediaTypeError';
}

/** `RANGE_NOT_SATISFIABLE`: The file ends before this range begins. Its size is in details.size. */
export class RangeNotSatisfiableError extends ApiError {
  override readonly name = 'RangeNotSatisfiableError';
}

/** `INTERNAL_ERROR`: Something went wrong on our side. Quote the requestId when you report it. */
export class InternalError extends ApiError {
  override readonly name = 'InternalError';
}

/** `SERVICE_UNAVAILABLE`: The service cannot take this request now. Send it again with the same Idempotency-Key. */
export class ServiceUnavailableError extends ApiError {
  override readonly name = 'ServiceUnavailableError';
}

export const ERROR_CLASSES: Readonly<Record<string, new (facts: ApiErrorFacts) => ApiError>> = {
  AUTHENTICATION_ERROR: AuthenticationError,
  AUTHORIZATION_ERROR: AuthorizationError,
  RATE_LIMIT_EXCEEDED: RateLimitExceededError,
  QUOTA_EXCEEDED: QuotaExceededError,
  BUDGET_EXCEEDED: BudgetExceededError,
  BUDGET_RECONCILIATION_REQUIRED: BudgetReconciliationRequiredError,
  BUDGET_EFFECT_ALREADY_RESERVED: BudgetEffectAlreadyReservedError,
  VALIDATION_ERROR: ValidationError,
  FEATURE_NOT_AVAILABLE: FeatureNotAvailableError,
  EXPENSIVE_WORK_PAUSED: ExpensiveWorkPausedError,
  NOT_FOUND: NotFoundError,
  PREVIEW_MISMATCH: PreviewMismatchError,
  PREVIEW_EXPIRED: PreviewExpiredError,
  PREVIEW_ALREADY_USED: PreviewAlreadyUsedError,
  OPERATION_KEY_REUSE: OperationKeyReuseError,
  idempotency_key_reuse: IdempotencyKeyReuseError,
  idempotency_request_in_progress: IdempotencyRequestInProgressError,
  EFFECT_RESOLUTION_REQUIRED: EffectResolutionRequiredError,
  USER_IDENTITY_REQUIRED: UserIdentityRequiredError,
  SECOND_FACTOR_REQUIRED: SecondFactorRequiredError,
  PAID_PLANS_UNAVAILABLE: PaidPlansUnavailableError,
  HTTPS_REQUIRED: HttpsRequiredError,
  PLAN_STALE: PlanStaleError,
  CONFLICT: ConflictError,
  METHOD_NOT_ALLOWED: MethodNotAllowedError,
  NOT_ACCEPTABLE: NotAcceptableError,
  PAYLOAD_TOO_LARGE: PayloadTooLargeError,
  UNSUPPORTED_MEDIA_TYPE: UnsupportedMediaTypeError,
  RANGE_NOT_SATISFIABLE: RangeNotSatisfiableError,
  INTERNAL_ERROR: InternalError,
  SERVICE_UNAVAILABLE: ServiceUnavailableError,
};
