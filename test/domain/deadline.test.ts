import { getEventListeners, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Deadline } from '../../domain/deadline.ts';

describe('a deadline', () => {
  it('aborts after its time, with a TimeoutError', async () => {
    using deadline = new Deadline(5);
    await once(deadline.signal, 'abort');
    expect(deadline.signal.reason).toMatchObject({ name: 'TimeoutError' });
  });

  it('aborts with its parent, for the reason of the parent', () => {
    const parent = new AbortController();
    using deadline = new Deadline(60_000, new AbortController().signal, parent.signal);
    const reason = new Error('the client left');
    parent.abort(reason);
    expect(deadline.signal.reason).toBe(reason);
  });

  it('of a parent that was aborted before is aborted at once', () => {
    using deadline = new Deadline(60_000, AbortSignal.abort('gone'));
    expect(deadline.signal.reason).toBe('gone');
  });

  it('never aborts once it is disposed of, and leaves no listener at its parent', async () => {
    const parent = new AbortController();
    const deadline = new Deadline(5, parent.signal);
    expect(getEventListeners(parent.signal, 'abort')).toHaveLength(1);
    deadline[Symbol.dispose]();
    expect(getEventListeners(parent.signal, 'abort')).toHaveLength(0);
    await delay(20);
    parent.abort();
    expect(deadline.signal.aborted).toBe(false);
  });

  it.each([-1, Number.NaN, 2 ** 31])('refuses a time-out of %d ms: timers would take it for none', (timeoutMs) => {
    expect(() => new Deadline(timeoutMs)).toThrow(RangeError);
  });
});
