import type { ActionDefinition } from '../../domain/actions.ts';
import type {
  AdapterDescriptor,
  PreparedRequest,
  ProviderResponse,
  RequestIdentity,
} from '../../domain/adapters/adapter-descriptor.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { PartialEffect } from '../../domain/lifecycle.ts';
import type { Refusal } from '../../domain/refusals.ts';
import type { PreviewBlock } from '../../domain/adapters/preview-block.ts';
import type { AttachedBytes } from './http-request/body-parts.ts';
import type { EgressMeter } from './http-request/exchange.ts';

/** The input of a dispatch. `request` already holds the credentials; no part of it may be logged or kept. */
export interface DispatchInput {
  definition: ActionDefinition;
  request: PreparedRequest;
  /** The secret values in `request`, by name. The adapter removes them from everything that it returns. */
  secrets: ReadonlyMap<string, string>;
  /**
   * `replay`: the same bytes were sent before under the same key. An answer that the provider does not tie to the first
   * request (a 401, a 429) is `unknown`; `refused` and `not_sent` speak of the replay only. Default: `dispatch`.
   */
  kind?: 'dispatch' | 'replay';
  timeoutMs: number;
  /** Aborts only where the watchdog must end a call that outlived its time-out. */
  signal: AbortSignal;
  /** Counts the bytes of the one request and its response. The adapter hands it on with the limits of the call. */
  egress?: EgressMeter;
  /** Reads the files that `request.bodyParts` names. The adapter hands it on with the limits of the call. */
  attached?: AttachedBytes;
}

/** What is known after the call, and no more. */
export type DispatchResult =
  /** Refused before anything was sent (a blocked destination, a credential of the wrong mode). */
  | { kind: 'refused'; refusal: Refusal }
  /** Provably no byte of the request was sent. */
  | { kind: 'not_sent'; reason: string }
  /** The provider answered, and its answer was read to the end. */
  | {
      kind: 'answered';
      outcome: 'succeeded' | 'failed' | 'pending' | 'unknown';
      partialEffect: PartialEffect;
      summary: string;
      providerReference: string | null;
      providerIds: Record<string, string>;
      response: ProviderResponse;
    }
  /** Something was or may have been sent, and no usable answer came. */
  | { kind: 'no_answer'; reason: string };

export interface ReadBackInput {
  definition: ActionDefinition;
  input: JsonObject;
  identity: RequestIdentity;
  response: ProviderResponse | null;
  secrets: ReadonlyMap<string, string>;
  timeoutMs: number;
  signal: AbortSignal;
}

export type ReadBackResult =
  | {
      kind: 'matched';
      outcome: 'succeeded' | 'failed' | 'pending';
      summary: string;
      response: ProviderResponse;
      providerReference: string | null;
    }
  /** The read succeeded and found nothing. It proves something only under the action's `absenceProves`. */
  | { kind: 'absent'; summary: string; response: ProviderResponse }
  /** The read succeeded and found more than one record. Only a person can say which of them is ours. */
  | { kind: 'ambiguous'; summary: string; response: ProviderResponse }
  /** The read succeeded but settles nothing. */
  | { kind: 'inconclusive'; summary: string; response: ProviderResponse | null }
  /** There is nothing to read: no `verify`, or its templates need a response that never came. */
  | { kind: 'unreadable'; summary: string };

export type InspectInput = Omit<ReadBackInput, 'response'>;

/** What the provider's record says before anything is sent. */
export type Inspection =
  | {
      kind: 'inspected';
      /** What must still hold right before the reservation; part of the binding. Compared as JSON. */
      preconditions: JsonObject;
      /** Shown in the preview beside the descriptor's own. */
      blocks: PreviewBlock[];
      summary: string;
      /** Set where what was read must refuse the invocation (a payment of the other mode). */
      refusal: Refusal | null;
      observedAt: Date;
    }
  /** Refuses nothing by itself, but an approval that rests on `preconditions` cannot be honoured. */
  | { kind: 'unavailable'; reason: string };

/** The half of an adapter that does I/O. It never retries: one call of `dispatch` makes at most one request. */
export interface Adapter {
  descriptor: AdapterDescriptor;
  dispatch(input: DispatchInput): Promise<DispatchResult>;
  /** Reads only. */
  readBack(input: ReadBackInput): Promise<ReadBackResult>;
  /** Reads only. Runs before a person is asked and again right before the reservation. Present if `descriptor.inspects`. */
  inspect?(input: InspectInput): Promise<Inspection>;
}
