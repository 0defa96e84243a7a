export {
  Client,
  createClient,
  type Approval,
  type ClientOptions,
  type DryRun,
  type Effect,
  type Identity,
  type Input,
  type Invocation,
  type InvokeOptions,
  type Preview,
} from './client.ts';
export { ApiError, SdkError, type ApiErrorFacts } from './api-error.ts';
export {
  ConnectionError,
  DeliveryVerificationError,
  MissingScopesError,
  UnexpectedReplyError,
  WaitInterruptedError,
  type DeliveryFault,
} from './errors.ts';
export * from './generated/errors.ts';
export type { operations, paths, schemas } from './generated/api.ts';
export { canonicalText } from './canonical-text.ts';
export { checkScopes } from './require-scopes.ts';
export {
  verifyDelivery,
  type DeliveryHeaders,
  type DeliveryOptions,
  type VerifiedDelivery,
} from './verify-delivery.ts';
export { verifyReceipt, type ReceiptBreak, type ReceiptCheck, type ReceiptHead } from './verify-receipt.ts';
