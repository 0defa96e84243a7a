import { vi } from 'vitest';
import { PATIENCE_MS } from '../harness/patience.ts';
import type { Target } from '../harness/target.ts';

const LOOK_INTERVAL_MS = 50;

/** How many requests the target saw that may have changed something, by path and query. */
export async function sentTo(target: Target, url: string): Promise<number> {
  return (await target.requests()).filter((request) => request.method !== 'GET' && request.url === url).length;
}

/** Waits until the target has seen one such request for each of these. Throws if one does not come. */
export async function untilSeen(target: Target, urls: readonly string[]): Promise<void> {
  const look = async (): Promise<void> => {
    const seen = (await target.requests()).map((request) => request.url);
    const missing = urls.filter((url) => !seen.includes(url));
    if (missing.length > 0) throw new Error(`the target has not seen ${missing.join(', ')}`);
  };
  await vi.waitFor(look, { timeout: PATIENCE_MS, interval: LOOK_INTERVAL_MS });
}
