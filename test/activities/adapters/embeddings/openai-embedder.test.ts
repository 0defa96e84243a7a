import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  OpenAiEmbedder,
  type OpenAiEmbedderSettings,
} from '../../../../activities/adapters/embeddings/openai-embedder.ts';
import { LOOPBACK_EGRESS, parseEgressAllow } from '../../../../domain/egress.ts';
import type { EmbedCall } from '../../../../domain/embeddings/embedder.ts';
import { WATCHDOG } from '../../../harness/watchdog.ts';

const CALL: EmbedCall = { workspaceId: 'workspace' };
const KEY = 'sk-a-credential-of-the-operator';
const TEXT = 'a text that nobody else may read';

interface Asked {
  model: string;
  input: string[];
  dimensions?: number;
  encoding_format: string;
}

/** An endpoint that speaks as OpenAI's does, and misbehaves as it is told. */
class FakeEndpoint {
  readonly asked: Asked[] = [];
  authorization: string | undefined;
  answer: (asked: Asked, response: ServerResponse) => void = (asked, response) => reply(response, vectors(asked, 4));
  private readonly server: Server = createServer((request, response) => void this.take(request, response));

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }
  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.authorization = request.headers.authorization;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const asked = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Asked;
    this.asked.push(asked);
    this.answer(asked, response);
  }
}

function reply(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

/** The first number of each vector is the length of its text. In the reverse order: the index counts. */
function vectors({ input }: Asked, dimensions: number): { data: { index: number; embedding: number[] }[] } {
  const data = input.map((text, index) => ({
    index,
    embedding: [text.length, 1, ...Array.from({ length: dimensions - 2 }, () => 0)],
  }));
  return { data: data.toReversed() };
}

describe('embeddings of an OpenAI-compatible endpoint', () => {
  let endpoint: FakeEndpoint;
  let settings: OpenAiEmbedderSettings;
  beforeEach(async () => {
    endpoint = new FakeEndpoint();
    settings = { baseUrl: await endpoint.start(), apiKey: KEY, model: 'the-model', dimensions: null };
  });
  afterEach(() => endpoint.stop());

  const embedder = (over: Partial<OpenAiEmbedderSettings> = {}, timeoutMs = 60_000, egress = LOOPBACK_EGRESS) =>
    new OpenAiEmbedder(
      { ...settings, ...over },
      { egressAllow: parseEgressAllow(egress), watchdog: WATCHDOG, timeoutMs },
    );
  const failureOf = async (work: Promise<unknown>): Promise<{ publicMessage: string; message: string }> => {
    const failed = await work.then(
      () => {
        throw new Error('it did not fail');
      },
      (error: unknown) => error,
    );
    expect(failed).toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503 });
    const { publicMessage, message } = failed as { publicMessage: string; message: string };
    for (const text of [publicMessage, message]) {
      expect(text).not.toContain(KEY);
      expect(text).not.toContain(TEXT);
    }
    return { publicMessage, message };
  };

  it('asks in batches, puts the answers in the order of the texts, and scales them to length 1', async () => {
    const texts = Array.from({ length: 130 }, (_, index) => 'x'.repeat(index + 1));
    const { model, dimensions, vectors: made } = await embedder({ dimensions: 4 }).embed(texts, CALL);
    expect({ model, dimensions }).toEqual({ model: 'the-model', dimensions: 4 });
    expect(endpoint.asked.map(({ input }) => input.length)).toEqual([64, 64, 2]);
    expect(endpoint.asked[0]).toMatchObject({ model: 'the-model', dimensions: 4, encoding_format: 'float' });
    expect(endpoint.authorization).toBe(`Bearer ${KEY}`);
    // 1 over the number of the text is what is left of the second component.
    expect(made.map(([first = 0, second = 1]) => Math.round(first / second))).toEqual(texts.map((text) => text.length));
    for (const [first = 0, second = 0] of made) expect(first ** 2 + second ** 2).toBeCloseTo(1, 5);
  });

  it('finds out how long the vectors are, once', async () => {
    const one = embedder();
    expect(await one.model(CALL)).toEqual({ model: 'the-model', dimensions: 4 });
    expect(await one.model(CALL)).toEqual({ model: 'the-model', dimensions: 4 });
    expect(endpoint.asked).toHaveLength(1);
  });

  it('knows how long they are now once a call has shown it, also one that is refused', async () => {
    const one = embedder();
    const expected = await one.model(CALL);
    endpoint.answer = (asked, response) => reply(response, vectors(asked, 5));
    await failureOf(one.embed([TEXT], { ...CALL, expected }));
    expect(await one.model(CALL)).toEqual({ model: 'the-model', dimensions: 5 });
  });

  it('answers 503 where the endpoint is slow', async () => {
    endpoint.answer = () => undefined;
    expect((await failureOf(embedder({}, 200).embed([TEXT], CALL))).message).toContain('no answer');
  });

  it.each([
    ['fails', (_: Asked, response: ServerResponse) => reply(response, { error: `no ${TEXT} ${KEY}` }, 500), '500'],
    ['refuses', (_: Asked, response: ServerResponse) => reply(response, { error: `no ${TEXT} ${KEY}` }, 401), '401'],
    ['breaks off', (_: Asked, response: ServerResponse) => void response.destroy(), 'no answer'],
    ['says something else', (_: Asked, response: ServerResponse) => reply(response, 'hello'), 'no vector'],
    [
      'sends too few',
      (asked: Asked, response: ServerResponse) => reply(response, { data: vectors(asked, 4).data.slice(1) }),
      'no vector',
    ],
    [
      'sends one twice',
      (asked: Asked, response: ServerResponse) =>
        reply(response, { data: vectors(asked, 4).data.map((item) => ({ ...item, index: 0 })) }),
      'no vector',
    ],
    [
      'sends no numbers',
      (asked: Asked, response: ServerResponse) =>
        reply(response, { data: asked.input.map((_, index) => ({ index, embedding: ['NaN'] })) }),
      'no vector',
    ],
  ])('answers 503 where the endpoint %s, and repeats neither text nor key', async (_, answer, reason) => {
    endpoint.answer = answer;
    expect((await failureOf(embedder().embed([TEXT, `${TEXT}!`], CALL))).message).toContain(reason);
  });

  it('answers 503 where the endpoint changes its dimensions, within one request and between two', async () => {
    const one = embedder();
    const { model, dimensions } = await one.embed([TEXT], CALL);
    endpoint.answer = (asked, response) => reply(response, vectors(asked, 5));
    const failed = await failureOf(one.embed([TEXT], { ...CALL, expected: { model, dimensions } }));
    expect(failed.publicMessage).toContain('the-model (4 dimensions)');
    let call = 0;
    endpoint.answer = (asked, response) => reply(response, vectors(asked, (call += 1) > 1 ? 5 : 4));
    await failureOf(
      one.embed(
        Array.from({ length: 65 }, () => TEXT),
        CALL,
      ),
    );
  });

  it('does not pass the egress guard where nothing lets it', async () => {
    expect((await failureOf(embedder({}, 60_000, '').embed([TEXT], CALL))).message).toContain('egress guard');
    expect(endpoint.asked).toEqual([]);
  });

  it('asks again after a failure', async () => {
    const one = embedder();
    const whole = endpoint.answer;
    endpoint.answer = (_, response) => reply(response, {}, 503);
    await failureOf(one.model(CALL));
    endpoint.answer = whole;
    expect(await one.model(CALL)).toEqual({ model: 'the-model', dimensions: 4 });
  });
});
