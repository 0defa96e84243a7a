import createFetchClient, { type Client as FetchClient } from 'openapi-fetch';
import { UnexpectedReplyError, WaitInterruptedError } from './errors.ts';
import type { paths, schemas } from './generated/api.ts';
import { KEYED_OPERATIONS } from './generated/keyed-operations.ts';
import { checkKey, newKey } from './idempotency-key.ts';
import { itemsOf } from './pages.ts';
import { pathOf } from './path-parameters.ts';
import { checkScopes } from './require-scopes.ts';
import { settingsOf } from './settings.ts';
import { KEY_HEADER, tryingFetch } from './transport.ts';
import type { DataOf, InitArguments, InitOf, ItemOf, ListPaths, Method, OperationOf, PathsOf } from './typed-calls.ts';
import { pause, waitFor } from './waiting.ts';

export type Invocation = schemas['Invocation'];
export type Approval = schemas['Approval'];
export type Preview = schemas['ActionPreview'];
export type Effect = schemas['EffectDetail'];
export type Identity = schemas['Identity'];
export type DryRun = schemas['DryRun'];
type InvokeBody = schemas['InvokeRequest'];
export type Input = InvokeBody['input'];

export interface ClientOptions {
  /** Where the service is; `BASE_URL` of the environment by default. */
  baseUrl?: string;
  /** `API_KEY` of the environment by default. */
  apiKey?: string;
  /** How long one try of a request may take. By default 150 seconds, and 330 for those that are answered when the call to the target has ended. */
  timeoutMs?: number;
  fetch?: typeof globalThis.fetch;
  /** How it waits between two tries. The signal is the caller's. */
  pause?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

export interface InvokeOptions extends Omit<InvokeBody, 'input' | 'dryRun'> {
  /** The key of an earlier call that got no reply: its error has it. A new one by default. */
  idempotencyKey?: string;
  /** Seconds to wait for the end of the invocation. 0 by default: what needs a person is answered at once, parked. */
  wait?: number;
  signal?: AbortSignal;
}

interface AnyInit {
  path?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
  idempotencyKey?: string;
  signal?: AbortSignal;
}

/** Above the minute that the service holds a long poll. */
const TIMEOUT_MS = 150_000;
/** The longest time-out of an action is 300 seconds; the service answers 10 seconds later at the latest. */
const HELD_TIMEOUT_MS = 330_000;
const IS_HELD = /\/(?:invoke|replay)$/;
const INVOCATION_PATH = '/api/v2/actions/invocations/{id}';
const APPROVAL_PATH = '/api/v2/approvals/{id}';
/** At rest, or on its way to it: it will change by itself. */
const UNDER_WAY: ReadonlySet<string> = new Set(['queued', 'dispatching', 'pending_approval']);

/** One environment of the service, seen with one API key. */
export class Client {
  /** Every operation, by method and path, as `openapi-fetch` has it: with the keys, the tries and the errors of this client. */
  readonly api: FetchClient<paths>;
  readonly baseUrl: string;
  readonly #pause: (ms: number, signal?: AbortSignal) => Promise<void>;

  /** @throws {TypeError} if the address or the key is missing or no such thing. */
  constructor(options: ClientOptions = {}) {
    const { baseUrl, apiKey } = settingsOf(options);
    const fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
    this.baseUrl = baseUrl;
    this.#pause = options.pause ?? pause;
    const raw = new WeakSet<Request>();
    const timeoutMs = (url: string): number =>
      options.timeoutMs ?? (IS_HELD.test(new URL(url).pathname) ? HELD_TIMEOUT_MS : TIMEOUT_MS);
    const trying = tryingFetch({ fetch, timeoutMs, pause: this.#pause }, (one) => raw.has(one));
    this.api = createFetchClient<paths>({ baseUrl, fetch: trying, pathSerializer: pathOf });
    this.api.use({
      onRequest: ({ request, schemaPath, options: { parseAs } }) => {
        request.headers.set('Authorization', `Bearer ${apiKey}`);
        const isKeyed = KEYED_OPERATIONS.has(`${request.method} ${schemaPath}`);
        if (isKeyed && !request.headers.has(KEY_HEADER)) request.headers.set(KEY_HEADER, newKey());
        if (parseAs !== 'json') raw.add(request);
        return request;
      },
    });
  }

  /**
   * One operation; answers the `data` of its reply.
   *
   * @throws {ApiError} where the service refuses; {ConnectionError}, {UnexpectedReplyError} where it did not answer.
   */
  async call<M extends Method, P extends PathsOf<M>>(
    method: M,
    path: P,
    ...[init]: InitArguments<OperationOf<M, P>>
  ): Promise<DataOf<OperationOf<M, P>>> {
    const envelope = await this.#send(method, path, init as AnyInit | undefined);
    return (envelope as { data: DataOf<OperationOf<M, P>> }).data;
  }

  /** Every item of a list: `for await (const action of client.pages('/api/v2/actions'))`. */
  pages<P extends ListPaths>(
    path: P,
    ...[init]: InitArguments<OperationOf<'GET', P>>
  ): AsyncGenerator<ItemOf<OperationOf<'GET', P>>, void, undefined> {
    const { query, ...rest } = (init ?? {}) as AnyInit;
    const firstPage = typeof query?.['page'] === 'number' ? query['page'] : 1;
    const readPage = (page: number): Promise<unknown> =>
      this.#send('GET', path, { ...rest, query: { ...query, page } });
    return itemsOf(readPage, firstPage) as AsyncGenerator<ItemOf<OperationOf<'GET', P>>, void, undefined>;
  }

  /** What this key may do, and of which environment it is. */
  identity(): Promise<Identity> {
    return this.call('GET', '/api/v2/auth/identity');
  }

  /**
   * A check at start-up: the key holds every required scope and none of the forbidden ones.
   *
   * @throws {MissingScopesError} also for a malformed identity; {ApiError} where the key itself is refused.
   */
  async requireScopes(required: readonly string[], forbidden: readonly string[] = []): Promise<void> {
    let reply: unknown;
    try {
      reply = await this.#send('GET', '/api/v2/auth/identity');
    } catch (error) {
      if (!(error instanceof UnexpectedReplyError) || error.status !== 200) throw error;
      reply = null; // it answered 200, and nothing that says what the key holds
    }
    checkScopes(reply, required, forbidden);
  }

  /** What an invocation of a governed action would send; nothing is sent. Name its id in `invoke` to have exactly that sent. */
  preview(
    action: string,
    input: Input,
    options: Omit<InitOf<OperationOf<'POST', '/api/v2/actions/{ref}/previews'>>['body'], 'input'> = {},
  ): Promise<Preview> {
    return this.call('POST', '/api/v2/actions/{ref}/previews', { path: { ref: action }, body: { ...options, input } });
  }

  /** What an invocation would do now: nothing is sent, reserved or recorded. */
  async dryRun(action: string, input: Input, options: Omit<InvokeBody, 'input' | 'dryRun'> = {}): Promise<DryRun> {
    const body = { ...options, input, dryRun: true };
    return (await this.call('POST', '/api/v2/actions/{ref}/invoke', { path: { ref: action }, body })) as DryRun;
  }

  /**
   * Invokes an action, once, whatever the connection does: every try has the same Idempotency-Key. Read `status` and `grade` of what it
   * answers: a refusal and an unknown outcome are answers, and nothing is sent again for them.
   *
   * @throws {ConnectionError} where no reply came: its `idempotencyKey` asks again. {WaitInterruptedError} where it was admitted and then
   * could not be read. {ApiError}
   */
  async invoke(action: string, input: Input, options: InvokeOptions = {}): Promise<Invocation> {
    const { idempotencyKey, wait = 0, signal, ...body } = options;
    const until = Date.now() + wait * 1_000;
    const keyed = idempotencyKey === undefined ? {} : { idempotencyKey };
    const init = {
      path: { ref: action },
      body: { ...body, input },
      ...keyed,
      ...(signal === undefined ? {} : { signal }),
    };
    let invocation = (await this.call('POST', '/api/v2/actions/{ref}/invoke', init)) as Invocation;
    if (wait <= 0 || !UNDER_WAY.has(invocation.status)) return invocation;
    try {
      return await waitFor({
        read: (seconds) => this.#readInvocation(invocation.id, seconds, signal),
        isDone: ({ status }) => !UNDER_WAY.has(status),
        until,
        pause: (ms) => this.#pause(ms, signal),
        seen: (value) => void (invocation = value),
      });
    } catch (error) {
      throw new WaitInterruptedError(invocation, error);
    }
  }

  /** Waits until the outcome is known, or the seconds are over: then it answers the invocation as it is. */
  waitForInvocation(id: string, { seconds, signal }: { seconds: number; signal?: AbortSignal }): Promise<Invocation> {
    return waitFor({
      read: (asked) => this.#readInvocation(id, asked, signal),
      isDone: ({ status }) => !UNDER_WAY.has(status) && status !== 'unknown',
      until: Date.now() + seconds * 1_000,
      pause: (ms) => this.#pause(ms, signal),
    });
  }

  /** Waits until somebody decided, or it ended, or the seconds are over: then it answers the approval as it is. */
  waitForApproval(id: string, { seconds, signal }: { seconds: number; signal?: AbortSignal }): Promise<Approval> {
    return waitFor({
      read: (asked) => this.call('GET', APPROVAL_PATH, { path: { id }, ...asking(asked, signal) }),
      isDone: ({ status }) => status !== 'pending',
      until: Date.now() + seconds * 1_000,
      pause: (ms) => this.#pause(ms, signal),
    });
  }

  /** Agrees to exactly what has this digest; anything else is a `ConflictError`. */
  approve(id: string, decision: { bindingDigest: string; note?: string }): Promise<Approval> {
    return this.call('POST', '/api/v2/approvals/{id}/approve', { path: { id }, body: decision });
  }

  deny(id: string, decision: { note: string }): Promise<Approval> {
    return this.call('POST', '/api/v2/approvals/{id}/deny', { path: { id }, body: decision });
  }

  #readInvocation(id: string, seconds: number, signal: AbortSignal | undefined): Promise<Invocation> {
    return this.call('GET', INVOCATION_PATH, { path: { id }, ...asking(seconds, signal) });
  }

  /** The body of the reply. */
  async #send(method: Method, path: string, init: AnyInit = {}): Promise<unknown> {
    const { path: pathParameters = {}, query = {}, body, idempotencyKey, signal } = init;
    if (idempotencyKey !== undefined) checkKey(idempotencyKey, `${method} ${path}`);
    const request = this.api.request as unknown as (
      method: string,
      path: string,
      init: unknown,
    ) => Promise<{ data?: unknown }>;
    const { data } = await request(method.toLowerCase(), path, {
      params: { path: pathParameters, query },
      ...(body === undefined ? {} : { body }),
      ...(idempotencyKey === undefined ? {} : { headers: { [KEY_HEADER]: idempotencyKey } }),
      ...(signal === undefined ? {} : { signal }),
    });
    return data;
  }
}

/** Without seconds the reply is not held, and need not be asked to be. */
function asking(seconds: number, signal: AbortSignal | undefined): { query?: { wait: number }; signal?: AbortSignal } {
  return { ...(seconds === 0 ? {} : { query: { wait: seconds } }), ...(signal === undefined ? {} : { signal }) };
}

/** A client with the key of one environment: `createClient()` reads `BASE_URL` and `API_KEY`. */
export function createClient(options?: ClientOptions): Client {
  return new Client(options);
}
