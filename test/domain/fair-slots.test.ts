import { afterEach, describe, expect, it } from 'vitest';
import { FairSlots, NoSlotError, type FairSlotsOptions } from '../../domain/fair-slots.ts';

const OPTIONS: FairSlotsOptions = {
  slots: 2,
  slotsAnOwnerMax: 1,
  waitingMax: 10,
  waitingAnOwnerMax: 5,
  waitMsMax: 60_000,
};

/** Work begins some microtasks after its turn was given. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const ending: (() => Promise<void>)[] = [];

/** No wait outlives its test: its time-out would be a rejection in whichever test file runs by then. */
afterEach(async () => {
  await Promise.all(ending.splice(0).map((end) => end()));
});

/** Work that ends on command, and a list of the started work. */
function workshop(options: Partial<FairSlotsOptions> = {}) {
  const slots = new FairSlots({ ...OPTIONS, ...options });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const works: Promise<string>[] = [];
  ending.push(async () => {
    slots.close();
    for (const end of ends.values()) end();
    await Promise.allSettled(works);
  });
  return {
    slots,
    begun,
    run: (owner: string, name: string): Promise<string> => {
      const work = slots.run(owner, async () => {
        begun.push(name);
        await new Promise<void>((resolve) => ends.set(name, resolve));
        return name;
      });
      works.push(work);
      return work;
    },
    end: async (name: string, work: Promise<string>): Promise<void> => {
      ends.get(name)?.();
      expect(await work).toBe(name);
      await settled();
    },
  };
}

describe('slots', () => {
  it('are never all held by one owner', async () => {
    const { run, begun } = workshop();
    void run('a', 'a1');
    void run('a', 'a2');
    void run('b', 'b1');
    await settled();
    expect(begun).toEqual(['a1', 'b1']);
  });

  it('go round the owners, and in order within each', async () => {
    const { run, begun, end } = workshop({ slots: 1 });
    const work = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => run(name.charAt(0), name));
    await settled();
    for (let turn = 0; turn < work.length; turn++) {
      const name = begun[turn] ?? '';
      await end(name, work[['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].indexOf(name)] as Promise<string>);
    }
    expect(begun).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('come back when the work fails', async () => {
    const { slots, run, begun } = workshop({ slots: 1 });
    await expect(slots.run('a', () => Promise.reject(new Error('ours')))).rejects.toThrow('ours');
    void run('a', 'a1');
    await settled();
    expect(begun).toEqual(['a1']);
  });
});

describe('those who wait', () => {
  it('are bounded for each owner and together; the others are refused at once', async () => {
    const { run } = workshop({ slots: 1, waitingAnOwnerMax: 1, waitingMax: 2 });
    void run('a', 'a1');
    void run('a', 'a2');
    await expect(run('a', 'a3')).rejects.toThrow(NoSlotError);
    void run('b', 'b1');
    await expect(run('c', 'c1')).rejects.toThrow('too many wait');
  });

  it('give the newest place of the owner with the most to one with fewer, where as many wait as may', async () => {
    const { run, begun, end } = workshop({ slots: 1, waitingMax: 4, waitingAnOwnerMax: 4 });
    const refused: string[] = [];
    const works = new Map<string, Promise<string>>();
    const ask = (name: string): void => {
      const work = run(name.charAt(0), name);
      works.set(name, work);
      work.catch((error: Error) => refused.push(error.message === 'no slot: too many wait' ? name : error.message));
    };
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) ask(name);
    ask('b1');
    await settled();
    expect(refused).toEqual(['a5']);
    // a waits three times, b once; then each twice, and neither takes a place of the other's.
    ask('b2');
    await settled();
    ask('a6');
    ask('b3');
    await settled();
    expect(refused).toEqual(['a5', 'a4', 'a6', 'b3']);
    // c has none, and b's turn comes after a's. Then a alone waits twice.
    ask('c1');
    ask('d1');
    await settled();
    expect(refused.slice(4)).toEqual(['b2', 'a3']);
    for (let turn = 0; turn < 5; turn++) {
      const name = begun[turn] ?? '';
      await end(name, works.get(name) as Promise<string>);
    }
    expect(begun.toSorted()).toEqual(['a1', 'a2', 'b1', 'c1', 'd1']);
  });

  it('do not wait for ever, and take nothing along', async () => {
    const { run, begun, end } = workshop({ slots: 1, waitMsMax: 1 });
    const first = run('a', 'a1');
    await expect(run('b', 'b1')).rejects.toThrow('waited too long');
    await end('a1', first);
    void run('c', 'c1');
    await settled();
    expect(begun).toEqual(['a1', 'c1']);
  });

  it('are refused when it is closed, and so is who comes', async () => {
    const { slots, run } = workshop({ slots: 1 });
    void run('a', 'a1');
    await settled();
    const waits = run('b', 'b1');
    slots.close();
    await expect(waits).rejects.toThrow('closed');
    await expect(run('c', 'c1')).rejects.toThrow('closed');
  });
});

describe('a signal', () => {
  it('ends the wait, and takes nothing along', async () => {
    const { slots, run, begun, end } = workshop({ slots: 1 });
    const first = run('a', 'a1');
    const controller = new AbortController();
    const waits = slots.run('b', () => Promise.resolve(begun.push('b1')), controller.signal);
    controller.abort();
    await expect(waits).rejects.toThrow('whoever waited has ended');
    await expect(slots.run('b', () => Promise.resolve(begun.push('b2')), controller.signal)).rejects.toThrow(
      NoSlotError,
    );
    await end('a1', first);
    void run('c', 'c1');
    await settled();
    expect(begun).toEqual(['a1', 'c1']);
  });

  it('leaves the slot to work that has begun, until that ends', async () => {
    const { slots, run, begun, end } = workshop({ slots: 1 });
    const controller = new AbortController();
    let finish: () => void = () => undefined;
    const held = slots.run('a', () => new Promise<void>((resolve) => (finish = resolve)), controller.signal);
    controller.abort();
    const next = run('b', 'b1');
    await settled();
    expect(begun).toEqual([]);
    finish();
    await held;
    await settled();
    expect(begun).toEqual(['b1']);
    await end('b1', next);
  });
});
