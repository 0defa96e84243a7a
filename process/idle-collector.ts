import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const LOOK_INTERVAL_MS = 10_000;
/** The share of an interval that the event loop works in a process at rest: timers, health checks, the ends of long polls. */
const IDLE_UTILIZATION_MAX = 0.05;
/** A collection stops the process for some 50 ms, so a few megabytes are not worth one. */
const WORTH_COLLECTING_BYTES = 12 * 1024 * 1024;

export interface Collectable {
  /** How busy the event loop was since the last call, 0 to 1. */
  utilization: () => number;
  heapUsedBytes: () => number;
  collect: () => void;
}

/** Looks every 10 s. The timer keeps no process alive. */
export function collectWhenIdle(): void {
  const collector = new IdleCollector(thisThread());
  setInterval(() => collector.look(), LOOK_INTERVAL_MS).unref();
}

/**
 * Collects the garbage that a load leaves in this thread's heap once the load is over. V8 does so by itself only where the process
 * allocates slowly beside the speed of its last collections. On a noisy machine an idle process of 70 MB of live objects so kept
 * 124 to 263 MB of heap a minute after its load.
 */
export class IdleCollector {
  private readonly heap: Collectable;
  private keptBytes: number;

  constructor(heap: Collectable) {
    this.heap = heap;
    this.keptBytes = heap.heapUsedBytes();
  }

  look(): void {
    const isIdle = this.heap.utilization() <= IDLE_UTILIZATION_MAX;
    if (!isIdle || this.heap.heapUsedBytes() < this.keptBytes + WORTH_COLLECTING_BYTES) return;
    this.heap.collect();
    this.keptBytes = this.heap.heapUsedBytes();
  }
}

export function thisThread(): Collectable {
  let last: EventLoopUtilization = performance.eventLoopUtilization();
  // Node names the function only for processes that are started with the flag; a context that is made after it is set has it too.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  return {
    utilization() {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, last);
      last = now;
      return utilization;
    },
    heapUsedBytes: () => getHeapStatistics().used_heap_size,
    collect,
  };
}
