import { Deadline } from '../../domain/deadline.ts';

const POLICIES = '/api/v2/approval-policies';
const TIMEOUT_MS = 60_000;

export interface ApiAccess {
  baseUrl: string;
  key: string;
}

/** The service's error reply, or the reason why the request failed. */
export class ApiError extends Error {
  readonly code: string | null;
  readonly issues: readonly { path: string; message: string }[];

  constructor(message: string, facts: { code?: string; issues?: ApiError['issues']; cause?: unknown } = {}) {
    super(message, { cause: facts.cause });
    this.code = facts.code ?? null;
    this.issues = facts.issues ?? [];
  }
}

interface Envelope {
  success?: boolean;
  data?: unknown;
  error?: { code?: string; message?: string; details?: { issues?: ApiError['issues'] } };
  requestId?: string;
}

/**
 * Posts to one of the policies' operations and returns its data.
 *
 * @throws {ApiError}
 */
export async function postPolicies(
  access: ApiAccess,
  operation: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<unknown> {
  const { status, text } = await send(access, operation, body, headers);
  const envelope = parsed(text);
  if (envelope?.success === true) return envelope.data;
  const { error } = envelope ?? {};
  if (error?.message === undefined)
    throw new ApiError(`${access.baseUrl} answered ${status}, and not as this API does.`);
  throw new ApiError(`${error.message} (${error.code}, request ${envelope?.requestId ?? 'unknown'})`, {
    ...(error.code === undefined ? {} : { code: error.code }),
    issues: error.details?.issues ?? [],
  });
}

async function send(
  { baseUrl, key }: ApiAccess,
  operation: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<{ status: number; text: string }> {
  using deadline = new Deadline(TIMEOUT_MS);
  try {
    const response = await fetch(`${baseUrl}${POLICIES}/${operation}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
      redirect: 'error', // the key must not be sent to another host
      signal: deadline.signal,
    });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    const why = error instanceof Error ? (error.cause instanceof Error ? error.cause.message : error.message) : '';
    throw new ApiError(`${baseUrl} could not be asked: ${why}`, { cause: error });
  }
}

function parsed(text: string): Envelope | null {
  try {
    return JSON.parse(text) as Envelope | null;
  } catch {
    return null;
  }
}
