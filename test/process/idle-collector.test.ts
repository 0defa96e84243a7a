import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { IdleCollector } from '../../process/idle-collector.ts';
import { projectRoot } from '../../process/project-root.ts';

const MB = 1024 * 1024;

/** A heap of 70 MB of live objects, of which a test says how full it is and how busy its thread. */
function heapOf(): {
  heap: ConstructorParameters<typeof IdleCollector>[0];
  now: { used: number; utilization: number };
  collections: () => number;
} {
  const now = { used: 70 * MB, utilization: 0.01 };
  let collections = 0;
  const collect = (): void => {
    collections += 1;
    now.used = 70 * MB;
  };
  return {
    heap: { utilization: () => now.utilization, heapUsedBytes: () => now.used, collect },
    now,
    collections: () => collections,
  };
}

describe('the idle collector', () => {
  it('collects once when a load is over, and not while it lasts', () => {
    const { heap, now, collections } = heapOf();
    const collector = new IdleCollector(heap);
    Object.assign(now, { used: 250 * MB, utilization: 0.6 });
    collector.look();
    expect(collections()).toBe(0);
    now.utilization = 0.01;
    collector.look();
    collector.look();
    expect(collections()).toBe(1);
  });

  it('leaves a few megabytes to V8', () => {
    const { heap, now, collections } = heapOf();
    const collector = new IdleCollector(heap);
    now.used = 75 * MB;
    collector.look();
    expect(collections()).toBe(0);
  });

  it('frees what a real process has dropped', async () => {
    const program = `
      import { getHeapStatistics } from 'node:v8';
      import { IdleCollector, thisThread } from ${JSON.stringify(path.join(projectRoot(), 'dist/process/idle-collector.js'))};
      const used = () => Math.round(getHeapStatistics().used_heap_size / 1048576);
      const collector = new IdleCollector({ ...thisThread(), utilization: () => 0 });
      let dropped = Array.from({ length: 400000 }, (_, index) => ({ index, text: 'x' + index }));
      const full = used() + (dropped.length > 0 ? 0 : 1);
      dropped = null;
      const before = used();
      collector.look();
      console.log(JSON.stringify({ full, before, after: used(), named: typeof globalThis.gc }));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
    const { full, after, named } = JSON.parse(stdout) as { full: number; after: number; named: string };
    expect(full).toBeGreaterThan(after + 12);
    // The function stays with the collector: code of the process does not get it by its name.
    expect(named).toBe('undefined');
  });
});
