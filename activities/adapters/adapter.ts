import type { ActionDefinition } from '../../domain/actions.ts';
import type {
  AdapterDescriptor,
  PreparedRequest,
  ProviderResponse,
  RequestIdentity,
} from '../../domain/adapters/adapter-descriptor.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { PartialEffect, Refusal } from '../../domain/lifecycle.ts';
import type { PreviewBlock } from '../../domain/previews/preview-block.ts';
import type { EgressMeter } from './http-request/exchange.ts';

/** What a dispatch is handed. The credentials are in `request` already; nothing of it may be logged or kept. */
export interface DispatchInput {
  definition: ActionDefinition;
  request: PreparedRequest;
  /** The values that `request` carries, by name: what the adapter removes from everything that it returns. */
  secrets: ReadonlyMap<string, string>;
  /**
   * `replay` where the same bytes were sent before under the same provider key. An answer to a replay that the provider does
   * not tie to the first request (a 401, a 429) says nothing of that one: the adapter then answers `unknown`. Likewise
   * `refused` and `not_sent` say of a replay that it was not sent, and nothing of the effect. Left out: `dispatch`.
   */
  kind?: 'dispatch' | 'replay';
  timeoutMs: number;
  /** Aborts where the watchdog has to end the call, which outlived its time-out; for no other reason. */
  signal: AbortSignal;
  /** Counts the bytes of the one request and its response. The adapter hands it on with the limits of the call. */
  egress?: EgressMeter;
}

/** What is known after the call, and nothing more than that. */
export type DispatchResult =
  /** Refused before anything was sent (a blocked destination, a credential of the wrong mode). */
  | { kind: 'refused'; refusal: Refusal }
  /** Provably not a byte of the request left. */
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
  /** The response of the dispatch where one was seen. */
  response: ProviderResponse | null;
  secrets: ReadonlyMap<string, string>;
  timeoutMs: number;
  signal: AbortSignal;
}

/** What the provider's own record says. */
export type ReadBackResult =
  | {
      kind: 'matched';
      outcome: 'succeeded' | 'failed' | 'pending';
      summary: string;
      response: ProviderResponse;
      providerReference: string | null;
    }
  /** Read well, and nothing there: proves something only under the action's `absenceProves`. */
  | { kind: 'absent'; summary: string; response: ProviderResponse }
  /** Read well, and the provider holds more than one: which of them is ours is for a person to say. */
  | { kind: 'ambiguous'; summary: string; response: ProviderResponse }
  /** Read well, and it says neither. */
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
      /** For the preview, beside the descriptor's own. */
      blocks: PreviewBlock[];
      summary: string;
      /** Set where the service must refuse on what was read (a payment of the other mode). */
      refusal: Refusal | null;
      observedAt: Date;
    }
  /** It could not be read. That refuses nothing by itself; an agreement that rests on `preconditions` cannot be kept then. */
  | { kind: 'unavailable'; reason: string };

/** The half of an adapter that touches the world. It never retries: one call of `dispatch` is at most one request. */
export interface Adapter {
  descriptor: AdapterDescriptor;
  dispatch(input: DispatchInput): Promise<DispatchResult>;
  /** Reads only. */
  readBack(input: ReadBackInput): Promise<ReadBackResult>;
  /** Reads only, before a person is asked and again right before the reservation. There if `descriptor.inspects`. */
  inspect?(input: InspectInput): Promise<Inspection>;
}
