import { expect } from 'vitest';
import type { TestApi } from '../harness/test-api.ts';
import type { TestPerson } from '../harness/people.ts';

export interface ToldEvent {
  event: string;
  data: Record<string, unknown>;
}

/** A browser's side of the stream: what it was told, in order. */
export interface Reader {
  told: ToldEvent[];
  headers: Headers;
  /** Whether the service has ended the reply. */
  isOver(): boolean;
  leave(): void;
  /** Waits until a message like this one was told. */
  hears(data: Record<string, unknown>): Promise<void>;
  /** Waits for the last event. */
  ends(): Promise<Record<string, unknown> | undefined>;
}

export async function readStream(api: TestApi, person: Pick<TestPerson, 'headers'>): Promise<Reader> {
  const gone = new AbortController();
  const { Cookie = '' } = person.headers;
  const reply = await fetch(`${api.baseUrl}/api/v2/console/stream`, {
    headers: { Cookie, Accept: 'text/event-stream' },
    signal: gone.signal,
  });
  expect([reply.status, reply.headers.get('Content-Type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  const told: ToldEvent[] = [];
  let isOver = false;
  const reading = async (): Promise<void> => {
    let text = '';
    for await (const chunk of reply.body ?? []) {
      text += Buffer.from(chunk as Uint8Array).toString();
      const frames = text.split('\n\n');
      text = frames.pop() ?? '';
      told.push(...frames.map(eventOf));
    }
    isOver = true;
  };
  reading().catch((error: unknown) => {
    if (!gone.signal.aborted) throw error;
  });
  await expect.poll(() => told[0]?.event).toBe('ready');
  return {
    told,
    headers: reply.headers,
    isOver: () => isOver,
    leave: () => gone.abort(),
    hears: async (data) => {
      await expect.poll(() => told.map((one) => one.data)).toContainEqual(data);
    },
    ends: async () => {
      await expect.poll(() => isOver).toBe(true);
      expect(told.at(-1)?.event).toBe('end');
      return told.at(-1)?.data;
    },
  };
}

function eventOf(frame: string): ToldEvent {
  const event = /^event: (.*)$/m.exec(frame)?.[1] ?? 'message';
  return { event, data: JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] ?? '{}') as Record<string, unknown> };
}
