import { setTimeout as delay } from 'node:timers/promises';
import { isOpen } from '../../domain/lifecycle.ts';
import { createAction, errorOf, type Caller, type Invocation, invocationIn } from '../api/invocations/support.ts';
import type { CallResult } from '../api/harness/test-api.ts';
import type { Target } from '../harness/target.ts';
import type { ApiProcess } from './separate-processes.ts';

/** Calls that take the clean way of an invocation, and callers that send each again until it is answered. */

export const SECRET = 'the-secret-of-every-call';
export const IDEMPOTENCY_HEADER = 'Idempotency-Key';
/** Few, so that it is reached: what comes after is refused. */
export const TIGHT_CAP = 3;
const WIDE_CAP = 1_000_000;
/** Short, so that the deadline of a call that was lost passes soon. */
const TIMEOUT_MS = 3_000;
/** Longer than a busy machine needs from the first byte of the last of several held calls to the kill. */
const HELD_TIMEOUT_MS = 8_000;
/** A caller that was told to come again. */
const RETRY_MS = 100;
/** One in so many calls counts against the tight limit, while the kinds allow it. */
const TIGHT_EVERY = 8;

/** `wide` and `tight`: governed, under a limit that is never reached, and one that is. `held`: as `wide`, and its target does not answer. */
export type Kind = 'wide' | 'tight' | 'plain' | 'held';

export interface Call {
  operationKey: string;
  kind: Kind;
  /** Path and query that the target sees. */
  url: string;
  begunAt: Date;
  answer: Invocation | null;
  /** What its caller was told last, while it has to come again. */
  told: string;
  /** Resolves with the answer. Rejects where a caller was answered what it must not be. */
  answered: Promise<Invocation>;
}

/** The calls of a test, all of one environment. */
export class Calls {
  readonly made: Call[] = [];
  /** Through which the callers call, from the next try on. */
  api: Caller;
  readonly target: Target;
  /** Holds every call. Apart, so that a test may ask it often what it saw. */
  readonly holding: Target;
  private readonly actions: Readonly<Record<Kind, string>>;

  private constructor(api: Caller, target: Target, holding: Target, actions: Record<Kind, string>) {
    [this.api, this.target, this.holding, this.actions] = [api, target, holding, actions];
  }

  /** Makes the actions, their secret and their limits. */
  static async prepare(api: ApiProcess, target: Target, holding: Target): Promise<Calls> {
    await created(api.putSecret('TOKEN', SECRET));
    const action = (url: string, overrides = {}) =>
      createAction(
        api,
        {
          url: `${url}n={{input.n}}`,
          body: { n: '{{input.n}}' },
          headers: { authorization: 'Bearer {{secret:TOKEN}}' },
          idempotencyHeader: IDEMPOTENCY_HEADER,
        },
        { timeoutMs: TIMEOUT_MS, impact: [{ dimension: 'calls', amount: { const: 1 }, bound: 'exact' }], ...overrides },
      );
    const actions = {
      wide: await action(`${target.baseUrl}/ok?wide&`),
      tight: await action(`${target.baseUrl}/ok?tight&`),
      plain: await action(`${target.baseUrl}/ok?plain&`, { governed: false, impact: [] }),
      held: await action(`${holding.baseUrl}/hang?held&`, { timeoutMs: HELD_TIMEOUT_MS }),
    };
    const limit = { dimension: 'calls', period: 'lifetime' };
    const wide = { ...limit, name: 'wide', cap: WIDE_CAP, scope: { actions: [actions.wide, actions.held] } };
    await created(api.post('/api/v2/impact-limits', wide));
    const tight = { ...limit, name: 'tight', cap: TIGHT_CAP, scope: { actions: [actions.tight] } };
    await created(api.post('/api/v2/impact-limits', tight));
    return new Calls(api, target, holding, actions);
  }

  begin(kind: Kind): Call {
    const n = this.made.length;
    const call: Call = {
      operationKey: `clean-way-${n}`,
      kind,
      url: `${kind === 'held' ? '/hang' : '/ok'}?${kind}&n=${n}`,
      begunAt: new Date(),
      answer: null,
      told: 'nothing yet',
      answered: new Promise(() => undefined),
    };
    call.answered = this.untilAnswered(call, n);
    // All are awaited once every kill is over.
    call.answered.catch(() => undefined);
    this.made.push(call);
    return call;
  }

  /** So many callers in a closed loop. What this returns lets each of them begin no other call. */
  keepCalling(callers: number, kinds: readonly ('wide' | 'plain')[]): () => void {
    const over = new AbortController();
    const loop = async (at: number): Promise<void> => {
      for (let n = at; !over.signal.aborted; n += callers) {
        const kind = n % TIGHT_EVERY === TIGHT_EVERY - 1 ? 'tight' : (kinds[n % kinds.length] ?? 'wide');
        await this.begin(kind).answered;
      }
    };
    for (let at = 0; at < callers; at++) loop(at).catch(() => undefined);
    return () => over.abort();
  }

  private async untilAnswered(call: Call, n: number): Promise<Invocation> {
    const path = `/api/v2/actions/${this.actions[call.kind]}/invoke`;
    const body = { input: { n: String(n) }, operationKey: call.operationKey };
    let id: string | null = null;
    for (;;) {
      const replying: Promise<CallResult> =
        id === null
          ? this.api.post(path, body, { 'Idempotency-Key': call.operationKey })
          : this.api.get(`/api/v2/actions/invocations/${id}`);
      const reply = await replying.catch(() => null);
      call.told = reply === null ? 'no reply' : `${reply.status} ${reply.text}`;
      const invocation = reply === null ? null : invocationUnlessRefused(reply);
      if (invocation !== null && !isOpen(invocation.status)) return (call.answer = invocation);
      // A 202 is the stored reply of its key: from now on its caller reads the invocation.
      id = invocation?.id ?? id;
      await delay(RETRY_MS);
    }
  }
}

/** Null where the caller is told to send the same request again. */
function invocationUnlessRefused(reply: CallResult): Invocation | null {
  if (reply.status === 503) return null;
  if (reply.status === 409 && errorOf(reply).code === 'idempotency_request_in_progress') return null;
  return invocationIn(reply);
}

async function created(reply: Promise<CallResult>): Promise<void> {
  const { status, text } = await reply;
  if (status !== 201) throw new Error(`${status} ${text}`);
}
