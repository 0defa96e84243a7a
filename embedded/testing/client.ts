/** How long one request asks the API to wait for the end of an invocation. */
const WAIT_SECONDS = 30;

/** An invocation, as the API answers it: the members that tests look at. */
export interface TestInvocation {
  id: string;
  status:
    | 'pending_approval'
    | 'queued'
    | 'dispatching'
    | 'succeeded'
    | 'failed'
    | 'unknown'
    | 'refused'
    | 'denied'
    | 'expired'
    | 'cancelled';
  grade: 'confirmed' | 'acknowledged' | 'unknown' | 'failed' | 'refused' | 'denied' | 'pending';
  effectId: string | null;
  approvalId: string | null;
  operationKey: string;
  /** The response, redacted: `{ status, headers, body, … }`. */
  result: { status: number; headers: Record<string, string>; body: unknown } | null;
  error: string | null;
  refusal: { code: string; message: string; details: Record<string, unknown> } | null;
  nextStep: string | null;
}

export interface InvokeOptions {
  /** The same key is dispatched once, however often it is asked for. By default the service makes one. */
  operationKey?: string;
  /** Effects that must have succeeded before. */
  dependsOn?: readonly string[];
  previewId?: string;
  agentId?: string;
  runId?: string;
}

/** A reply that was no success: `status` is the HTTP status, `code` one of docs/reference/errors.md. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: unknown;

  constructor(request: string, status: number, error: { code: string; message: string; details?: unknown }) {
    super(`${request} answered ${status} ${error.code}: ${error.message}`);
    this.name = 'ApiError';
    this.status = status;
    this.code = error.code;
    this.details = error.details;
  }
}

/** Calls the API with one key. Each call answers the `data` of the reply, and throws ApiError where there is none. */
export interface TestClient {
  readonly key: string;
  get<Data = unknown>(path: string): Promise<Data>;
  post<Data = unknown>(path: string, body?: unknown): Promise<Data>;
  put<Data = unknown>(path: string, body?: unknown): Promise<Data>;
  patch<Data = unknown>(path: string, body?: unknown): Promise<Data>;
  delete<Data = unknown>(path: string): Promise<Data>;
  /** Invokes an action, and waits while it is queued or being sent. An approval, or an unknown outcome, is answered as it is. */
  invoke(action: string, input: Record<string, unknown>, options?: InvokeOptions): Promise<TestInvocation>;
}

type Reply =
  { success: true; data: unknown } | { success: false; error: { code: string; message: string; details?: unknown } };

export function clientOf(baseUrl: string, key: string): TestClient {
  const call = async <Data>(method: string, path: string, body?: unknown): Promise<Data> => {
    const reply = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answered = (await reply.json()) as Reply;
    if (!answered.success) throw new ApiError(`${method} ${path}`, reply.status, answered.error);
    return answered.data as Data;
  };
  return {
    key,
    get: (path) => call('GET', path),
    post: (path, body) => call('POST', path, body),
    put: (path, body) => call('PUT', path, body),
    patch: (path, body) => call('PATCH', path, body),
    delete: (path) => call('DELETE', path),
    async invoke(action, input, options = {}) {
      let invocation = await call<TestInvocation>('POST', `/api/v2/actions/${action}/invoke`, { input, ...options });
      const isUnderWay = (): boolean => invocation.status === 'queued' || invocation.status === 'dispatching';
      // With dependencies it may stay queued for a day: its caller looks again.
      if (options.dependsOn !== undefined) return invocation;
      while (isUnderWay()) {
        invocation = await call('GET', `/api/v2/actions/invocations/${invocation.id}?wait=${WAIT_SECONDS}`);
      }
      return invocation;
    },
  };
}
