import createClient from 'openapi-fetch';
import { Turns } from './turns.ts';
import type { paths, schemas } from '../../sdk/typescript/src/generated/api.ts';

/** The public API as the console calls it: typed by the operations, under the session of the browser. */

export type Schema<Name extends keyof schemas> = schemas[Name];
export type Method = 'get' | 'put' | 'post' | 'patch' | 'delete';
export type PathOf<M extends Method> = {
  [P in keyof paths]: M extends keyof paths[P] ? P : never;
}[keyof paths];
type OperationOf<M extends Method, P extends PathOf<M>> = M extends keyof paths[P] ? paths[P][M] : never;

type PlaceOf<O, Place extends 'path' | 'query'> = O extends { parameters: { [K in Place]?: infer T } }
  ? Exclude<T, undefined>
  : never;
type BodyOf<O> = O extends { requestBody: { content: { 'application/json': infer B } } }
  ? { body: B }
  : O extends { requestBody?: { content: { 'application/json': infer B } } }
    ? { body?: B }
    : { body?: never };
/** The parsed body of a success. */
export type ReplyTo<O> = O extends { responses: infer R }
  ? { [S in keyof R]: R[S] extends { content: { 'application/json': infer C } } ? C : never }[keyof R]
  : never;
export type Reply<M extends Method, P extends PathOf<M>> = ReplyTo<OperationOf<M, P>>;

export interface CallParameters<M extends Method, P extends PathOf<M>> {
  path?: PlaceOf<OperationOf<M, P>, 'path'>;
  query?: Partial<PlaceOf<OperationOf<M, P>, 'query'>>;
}

interface AnyOptions {
  /** The environment that the session works in. */
  environmentId?: string | undefined;
  /** The same key makes a repeated change the same change. */
  idempotencyKey?: string;
  signal?: AbortSignal;
}

export type CallOptions<M extends Method, P extends PathOf<M>> = AnyOptions &
  CallParameters<M, P> &
  BodyOf<OperationOf<M, P>>;
/** They may be left out where the operation needs no body. */
export type OptionsArgument<M extends Method, P extends PathOf<M>> =
  object extends BodyOf<OperationOf<M, P>> ? [options?: CallOptions<M, P>] : [options: CallOptions<M, P>];

export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;
  readonly issues: readonly { path: string; message: string }[];
  /** What a refusal for want of a second factor asks for. */
  readonly secondFactor: { step: 'sign_in' | 'confirm' | 'enrol'; accepts: readonly StepUpMeans[] } | null;

  constructor(status: number, body: unknown, requestId: string | null) {
    const error = (body as Schema<'Error'> | undefined)?.error;
    super(error?.message ?? `The service answered ${status}.`);
    this.status = status;
    this.code = error?.code ?? 'UNEXPECTED_REPLY';
    this.requestId = requestId;
    this.secondFactor = this.code === 'SECOND_FACTOR_REQUIRED' ? (error?.details as ApiError['secondFactor']) : null;
    const issues = error?.details?.['issues'];
    this.issues = Array.isArray(issues)
      ? issues.map(({ path, message }: { path: unknown; message: unknown }) => ({
          path: String(path),
          message: String(message),
        }))
      : [];
  }
}

const client = createClient({ baseUrl: window.location.origin, credentials: 'same-origin' });

const ANALYTICS = '/api/v2/analytics/';
/** The service computes three of a workspace at once, and refuses more: charts of one screen wait for each other. */
const ANALYTICS_AT_ONCE_MAX = 2;
const analyticsTurns = new Turns(ANALYTICS_AT_ONCE_MAX);

/** Read with each session, because a new sign-in has a new one. */
let csrfToken: string | null = null;
export function keepCsrfToken(token: string): void {
  csrfToken = token;
}

async function readCsrfToken(): Promise<string> {
  const { data } = await call('get', '/api/v2/auth/session');
  keepCsrfToken(data.csrfToken);
  return data.csrfToken;
}

export type StepUpMeans = 'passkey' | 'password' | 'recovery_code';
type AskStepUp = (means: readonly StepUpMeans[]) => Promise<boolean>;

let askStepUp: AskStepUp = () => Promise.resolve(false);

/** Who asks the person to confirm when the service wants it. */
export function answerStepUp(ask: AskStepUp): void {
  askStepUp = ask;
}

let asking: Promise<boolean> | null = null;

/** One dialog for all calls that are refused meanwhile. */
function stepUp(means: readonly StepUpMeans[]): Promise<boolean> {
  asking ??= askStepUp(means).finally(() => {
    asking = null;
  });
  return asking;
}

/** Calls once more what was refused, after the person has confirmed that it is them. */
export async function call<M extends Method, P extends PathOf<M>>(
  method: M,
  path: P,
  ...[given]: OptionsArgument<M, P>
): Promise<Reply<M, P>> {
  const options = given ?? ({} as CallOptions<M, P>);
  try {
    return await callOnce(method, path, options);
  } catch (error) {
    const wanted = error instanceof ApiError ? error.secondFactor : null;
    if (wanted?.step === 'sign_in') leaveForSignIn();
    if (wanted?.step !== 'confirm' || !(await stepUp(wanted.accepts))) throw error;
    return callOnce(method, path, options);
  }
}

/**
 * @throws {ApiError} for every reply that is no success. A session that has ended leads to the sign-in, and back here.
 */
async function callOnce<M extends Method, P extends PathOf<M>>(
  method: M,
  path: P,
  options: CallOptions<M, P>,
): Promise<Reply<M, P>> {
  const { environmentId, idempotencyKey, signal, body } = options;
  const headers: Record<string, string> = {};
  if (environmentId !== undefined) headers['X-Environment-Id'] = environmentId;
  if (idempotencyKey !== undefined) headers['Idempotency-Key'] = idempotencyKey;
  if (method !== 'get') headers['X-CSRF-Token'] = csrfToken ?? (await readCsrfToken());
  const init = { params: { path: options.path, query: options.query }, headers, body, signal };
  const ask = () => client.request(method as never, path as never, init as never);
  const reply = await (path.startsWith(ANALYTICS) ? analyticsTurns.run(ask) : ask());
  const { data, error, response } = reply as { data?: unknown; error?: unknown; response: Response };
  if (response.ok) return data as Reply<M, P>;
  if (response.status === 401) leaveForSignIn();
  throw new ApiError(response.status, error, response.headers.get('X-Request-Id'));
}

let isLeaving = false;

/** Once: several requests of a screen learn of it together. */
export function leaveForSignIn(): void {
  if (isLeaving) return;
  isLeaving = true;
  const { pathname, search } = window.location;
  window.location.assign(`/console/sign-in?${new URLSearchParams({ next: `${pathname}${search}` }).toString()}`);
}
