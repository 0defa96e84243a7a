import type { QueryClient } from '@tanstack/react-query';

/**
 * Keeps what is shown true. One tab of the browser, the leader, holds the stream and passes what it hears to the others, because a browser
 * opens six connections to a host and no more. Without the stream, each visible tab asks again every 15 seconds.
 */
export type LiveState = 'live' | 'polling' | 'paused';

interface Invalidation {
  topic: string;
  environmentId?: string | null;
  id?: string;
}

const STREAM = '/api/v2/console/stream';
const CHANNEL = 'console.live';
const LOCK = 'console.stream';
const POLL_MS = 15_000;
/** Many rows may change in one moment: they are read once. */
const GATHERED_MS = 300;
/** The stream was refused, or the session is over. */
const REOPEN_MS = 15_000;
/** The process stops, and another one takes the next stream. */
const REOPEN_ELSEWHERE_MS = 1_000;
/** Analytics is counted in quarters of an hour and costs the service most: one poll of so many reads it. */
const POLLS_OF_ANALYTICS = 8;
/** The stream does not tell what programs do many times a second (docs/console-stream.md). */
const UNTOLD = new Set([
  'analytics',
  'cache',
  'dlq',
  'events',
  'flow-control',
  'memory',
  'messages',
  'runs',
  'schedules',
  'sessions',
]);
/** Changes may have been missed. */
const EVERYTHING = 'everything';

export class Live {
  #state: LiveState = 'polling';
  #isPaused = false;
  #hasStream = false;
  readonly #listeners = new Set<() => void>();
  readonly #queries: QueryClient;
  readonly #channel = new BroadcastChannel(CHANNEL);
  readonly #waiting = new Map<string, Invalidation>();
  #isGathering = false;
  #missed = false;
  #polls = 0;

  constructor(queries: QueryClient) {
    this.#queries = queries;
  }

  start(): void {
    this.#channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => this.#hear(data));
    window.setInterval(() => this.#poll(), POLL_MS);
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible' && this.#missed) this.#readAgain();
    });
    this.#channel.postMessage({ asks: true });
    void navigator.locks.request(LOCK, () => this.#lead());
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  state = (): LiveState => this.#state;

  pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
    if (!isPaused && this.#missed) this.#readAgain();
    this.#show();
  }

  #show(): void {
    this.#state = this.#isPaused ? 'paused' : this.#hasStream ? 'live' : 'polling';
    for (const listener of this.#listeners) listener();
  }

  #readAgain(): void {
    this.#missed = false;
    void this.#queries.invalidateQueries();
  }

  #poll(): void {
    this.#polls++;
    if (this.#isPaused || document.visibilityState !== 'visible') {
      this.#missed = true;
      return;
    }
    void this.#queries.invalidateQueries({
      predicate: ({ queryKey: [topic] }) =>
        topic === 'analytics'
          ? this.#polls % POLLS_OF_ANALYTICS === 0
          : !this.#hasStream || UNTOLD.has(topic as string),
    });
  }

  /** Runs for as long as this tab leads: the lock is given to another tab when this one closes. */
  async #lead(): Promise<never> {
    this.#channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if ((data as { asks?: true }).asks === true) this.#channel.postMessage({ hasStream: this.#hasStream });
    });
    // The leader before it is gone: nobody heard what changed since.
    this.#setStream(false);
    for (;;) {
      const waitMs = await this.#listen();
      await new Promise((resolve) => window.setTimeout(resolve, waitMs));
    }
  }

  /** Resolves when the stream ends for good, with the time until the next one. A lost connection the browser opens again by itself. */
  #listen(): Promise<number> {
    return new Promise((resolve) => {
      const source = new EventSource(STREAM);
      source.addEventListener('ready', () => this.#setStream(true));
      source.addEventListener('error', () => {
        this.#setStream(false);
        if (source.readyState === EventSource.CLOSED) resolve(REOPEN_MS);
      });
      const pass = (heard: Invalidation): void => {
        this.#channel.postMessage({ heard });
        this.#hear({ heard });
      };
      source.addEventListener('message', ({ data }: MessageEvent<string>) => pass(JSON.parse(data) as Invalidation));
      source.addEventListener('end', (event: MessageEvent<string>) => {
        source.close();
        this.#setStream(false);
        const { reason } = JSON.parse(event.data) as { reason?: string };
        if (reason !== 'session_ended') return resolve(REOPEN_ELSEWHERE_MS);
        // A tab that reads now leads its person to the sign-in, and back. A hidden tab reads when the person looks at it.
        pass({ topic: EVERYTHING });
        resolve(REOPEN_MS);
      });
    });
  }

  #setStream(hasStream: boolean): void {
    if (this.#hasStream === hasStream) return;
    this.#channel.postMessage({ hasStream });
    this.#hear({ hasStream });
  }

  #hear(data: unknown): void {
    const message = data as { heard?: Invalidation; hasStream?: boolean };
    if (message.hasStream !== undefined) {
      this.#hasStream = message.hasStream;
      if (!message.hasStream) this.#missed = true;
      const isLooked = !this.#isPaused && document.visibilityState === 'visible';
      if (message.hasStream && this.#missed && isLooked) this.#readAgain();
      this.#show();
    }
    const { heard } = message;
    if (heard === undefined) return;
    if (this.#isPaused || document.visibilityState !== 'visible') {
      this.#missed = true;
      return;
    }
    this.#waiting.set(`${heard.topic} ${heard.environmentId ?? ''}`, heard);
    if (this.#isGathering) return;
    this.#isGathering = true;
    window.setTimeout(() => this.#invalidate(), GATHERED_MS);
  }

  #invalidate(): void {
    this.#isGathering = false;
    const heard = [...this.#waiting.values()];
    this.#waiting.clear();
    void this.#queries.invalidateQueries({
      predicate: ({ queryKey: [topic, environmentId] }) =>
        heard.some(
          (one) =>
            (one.topic === EVERYTHING || one.topic === topic) &&
            (one.environmentId === undefined || one.environmentId === null || one.environmentId === environmentId),
        ),
    });
  }
}
