import type { ErrorCode } from '../../domain/errors.ts';

/** Remedy of each code beyond the reply's message: whether and when the same request can be sent again. */
export const ERROR_ADVICE: Readonly<Record<ErrorCode, string>> = {
  AUTHENTICATION_ERROR:
    'Check the credential: it is missing, malformed, revoked or expired, and the reply does not say which. The same request is refused again.',
  AUTHORIZATION_ERROR:
    'Use a key that has the scope which the message names, or a session with the role. The same request is refused again.',
  RATE_LIMIT_EXCEEDED: 'Send the same request again in the next minute, and fewer of them in a minute from then on.',
  QUOTA_EXCEEDED:
    'The message names what is used up. Free some of it, wait for the next month where it is an allowance of the month, or move the workspace to a larger plan.',
  BUDGET_EXCEEDED: 'Wait for the next month, or ask an admin to raise the budget of the key. Nothing was admitted.',
  BUDGET_RECONCILIATION_REQUIRED:
    'Only an operator can help: they put the budget of the key again with what was used before. Until then its requests are refused.',
  BUDGET_EFFECT_ALREADY_RESERVED:
    'Read the invocation that `details.invocationId` names. Do not send the request under another key: it was admitted once.',
  VALIDATION_ERROR:
    'Mend each entry of `details.issues`: its `path` leads to the member, its `message` says what is expected. The same request is refused again.',
  FEATURE_NOT_AVAILABLE: 'Move the workspace to a plan that includes it. The same request is refused until then.',
  EXPENSIVE_WORK_PAUSED: 'Send the same request again later, with the same Idempotency-Key. Nothing was begun.',
  NOT_FOUND:
    'Check the id or name, and the environment: a key sees only its own. The message has near names where the key may know them.',
  PREVIEW_MISMATCH: 'Make a new preview of the request as it is now, look at it, and invoke with its id.',
  PREVIEW_EXPIRED: 'Make a new preview, look at it, and invoke with its id before it expires.',
  PREVIEW_ALREADY_USED: 'A preview is executed once. Read the invocation that used it before you make another preview.',
  OPERATION_KEY_REUSE:
    'Read the invocation in `details.invocationId`. Where this is another operation, give it a key of its own.',
  idempotency_key_reuse: 'Send a new request with a new key. The key stays with the request that used it first.',
  idempotency_request_in_progress:
    'Send the same request again with the same key after a second: it gets the reply of the first one. A new key would do the work twice.',
  EFFECT_RESOLUTION_REQUIRED: 'Call the resolution of the effect that `details.effectId` names.',
  USER_IDENTITY_REQUIRED: 'Sign in, and send the request with the session. An API key is refused again.',
  SECOND_FACTOR_REQUIRED:
    'Do what `details.step` says: `sign_in` (finish the sign-in), `confirm` (show the passkey, or give what `details.accepts` names) or `enrol` (enrol a passkey). Then send the same request again.',
  PAID_PLANS_UNAVAILABLE: 'Choose another plan. Sending the request again changes nothing.',
  HTTPS_REQUIRED:
    'Send the request to the `https://` address. Replace the key: it has crossed the network unprotected.',
  PLAN_STALE: 'Make the plan again from the same files, look at what it changes now, and apply that plan.',
  CONFLICT:
    'Read the resource as it is now. The message says what stands in the way; the same request conflicts until that has changed.',
  METHOD_NOT_ALLOWED: 'Use a method that `details.allowed` lists.',
  NOT_ACCEPTABLE: 'Send `Accept: application/json`, or no `Accept` at all.',
  PAYLOAD_TOO_LARGE: 'Send less at once. The message has the bound.',
  UNSUPPORTED_MEDIA_TYPE: 'Name the type of the body in `Content-Type`, as the page of the operation says.',
  RANGE_NOT_SATISFIABLE: 'Ask for a range that begins before the size in `details.size`.',
  INTERNAL_ERROR:
    'Send the same request again with the same Idempotency-Key: nothing is done twice. If it fails again, report the `requestId`.',
  SERVICE_UNAVAILABLE:
    'Send the same request again with the same Idempotency-Key after some seconds. A request that was not acknowledged has not been begun.',
};
