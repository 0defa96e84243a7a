import { Agent, request } from 'node:http';

/** The sides, in the order of the report. */
export const SIDE_NAMES = [
  'hand, native',
  'hand, fenced',
  'DBOS, native',
  'DBOS, fenced',
  'Restate, native',
  'Restate, fenced',
  'Temporal, native',
  'Temporal, fenced',
  'ours, governed',
  'ours, ungoverned',
] as const;
export type SideName = (typeof SIDE_NAMES)[number];
export const PEER_NAMES = ['hand', 'DBOS', 'Restate', 'Temporal', 'ours'] as const;
export type PeerName = (typeof PEER_NAMES)[number];

export function peerOf(side: SideName): PeerName {
  const peer = PEER_NAMES.find((name) => side.startsWith(`${name}, `));
  if (peer === undefined) throw new Error(`${side} is no side`);
  return peer;
}

/** What a side's caller got: the status and the body, as the caller would compare it with another. */
export interface Answer {
  status: number;
  /** The outcome, where it is final; null where the caller has to ask again. */
  outcome: string | null;
  text: string;
}

/** CPU time, ms. */
export interface Cpu {
  /** The process of the side: for ours API and worker. */
  side: number;
  postgres: number;
  /** Temporal or Restate; 0 where the side has neither. */
  engine: number;
}

/** One way to do the job. */
export interface Side {
  name: SideName;
  /** Sends the job with this Idempotency-Key. Rejects where no answer came. */
  send(key: string, message: string): Promise<Answer>;
  /** What is on record for a key: the outcome. Null where nothing is. */
  recorded(key: string, answer: Answer): Promise<string | null>;
  /** Reserved of the capped counter until now; null for a side that reserves nothing. */
  reserved(): Promise<number | null>;
  /** CPU time until now. */
  cpu(): Cpu;
  /** Events in the histories of these keys' workflows; null for a side without Temporal. */
  countEvents(answers: readonly { key: string; answer: Answer }[]): Promise<number | null>;
  /** The name of its database. */
  database: string;
}

/** A process that runs one peer's sides, and can be killed. */
export interface Peer {
  name: PeerName;
  sides: Side[];
  /** Sends SIGKILL, and waits until the process has ended. */
  kill(): Promise<void>;
  /** Starts the process again where it was. Resolves when it is ready. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

const agent = new Agent({ keepAlive: true });
/** Above what any side makes its caller wait. */
const ANSWER_MS_MAX = 60_000;

/** A POST over connections that are kept, as a client does. */
export function post(
  url: URL,
  headers: Record<string, string>,
  body: unknown,
): Promise<{ status: number; text: string }> {
  const payload = JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const options = {
      method: 'POST',
      agent,
      timeout: ANSWER_MS_MAX,
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload), ...headers },
    };
    const call = request(url, options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.once('error', reject);
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    call.once('timeout', () => call.destroy(new Error(`${url.href} did not answer in ${ANSWER_MS_MAX / 1_000} s`)));
    call.once('error', reject);
    call.end(payload);
  });
}

export function statusOf(text: string): string | null {
  try {
    const { status } = JSON.parse(text) as { status?: unknown };
    return typeof status === 'string' ? status : null;
  } catch {
    return null; // an error page, not an outcome
  }
}

/** One call that must do all it should: a benchmark counts no failures. Returns the answer. */
export async function callOnce(side: Side, key: string, message: string): Promise<Answer> {
  const answer = await side.send(key, message);
  if (answer.outcome !== 'succeeded') throw new Error(`${side.name} answered ${answer.status}: ${answer.text}`);
  return answer;
}

/** The same call again and again, each under a key of its own, as a round loads it. */
export function loadedOf(side: Side) {
  return { call: () => callOnce(side, crypto.randomUUID(), 'hello'), cpu: () => side.cpu() };
}
