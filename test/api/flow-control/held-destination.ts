import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A destination that answers when it is told to, and counts what is in flight. */
export class HeldDestination {
  /** The bodies that arrived, in order. */
  readonly arrived: string[] = [];
  mostInFlight = 0;
  readonly #held: { body: string; response: ServerResponse }[] = [];
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      this.arrived.push(body);
      this.#held.push({ body, response });
      this.mostInFlight = Math.max(this.mostInFlight, this.#held.length);
      if (this.answersAtOnce) this.answerNext();
    });
  });
  answersAtOnce = false;

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  get inFlight(): number {
    return this.#held.length;
  }

  /** Answers the call that has waited longest, and returns its body. */
  answerNext(status = 200, headers: Record<string, string> = {}): string {
    const next = this.#held.shift();
    if (next === undefined) throw new Error('no call is in flight');
    next.response.writeHead(status, headers).end();
    return next.body;
  }

  /** Answers what is in flight, and from now on every call at once. */
  answerAll(): void {
    this.answersAtOnce = true;
    while (this.#held.length > 0) this.answerNext();
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
