import type { Client } from 'pg';
import { COUNTED } from '../../db/migrations/analytics-facts.ts';

/** The most that the facts may cost: admissions a second with them, of those without. */
const RATIO_MIN = 0.97;
const CONCURRENCY = 16;
const WARM_UP_MS = 10_000;

/** Invocations a second with the triggers of the facts and without them, in alternating rounds; lines of the report. */
export async function measureAdmissions(
  owner: Client,
  invoke: () => Promise<void>,
  { rounds, roundMs }: { rounds: number; roundMs: number },
): Promise<string[]> {
  await perSecond(invoke, WARM_UP_MS);
  const ratios: number[] = [];
  const lines: string[] = [];
  for (let round = 0; round < rounds; round++) {
    // Every second pair begins with the other side, so that a machine that slows down hits both.
    const order = round % 2 === 0 ? [true, false] : [false, true];
    const measured = new Map<boolean, number>();
    for (const counts of order) {
      await setCounting(owner, counts);
      measured.set(counts, await perSecond(invoke, roundMs));
    }
    const [withFacts = Number.NaN, without = Number.NaN] = [measured.get(true), measured.get(false)];
    ratios.push(withFacts / without);
    lines.push(
      `| ${round + 1} | ${withFacts.toFixed(1)} | ${without.toFixed(1)} | ${(withFacts / without).toFixed(3)} |`,
    );
  }
  await setCounting(owner, true);
  const sorted = ratios.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  return [
    `## Invocations a second with facts and without, ${CONCURRENCY} at once`,
    '',
    '| Round | With | Without | Ratio |',
    '| --- | --- | --- | --- |',
    ...lines,
    '',
    `Median ratio ${median.toFixed(3)}; at least ${RATIO_MIN}: ${median >= RATIO_MIN ? 'met' : '**missed**'}.`,
    '',
  ];
}

async function setCounting(owner: Client, counts: boolean): Promise<void> {
  for (const { table, events } of COUNTED)
    for (const event of events)
      await owner.query(
        `ALTER TABLE ${table} ${counts ? 'ENABLE' : 'DISABLE'} TRIGGER count_facts_of_${event.toLowerCase()}`,
      );
}

async function perSecond(invoke: () => Promise<void>, durationMs: number): Promise<number> {
  const startedAt = performance.now();
  let done = 0;
  const caller = async (): Promise<void> => {
    while (performance.now() - startedAt < durationMs) {
      await invoke();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, caller));
  return done / ((performance.now() - startedAt) / 1000);
}
