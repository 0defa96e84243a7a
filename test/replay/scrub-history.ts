import type { JsonObject } from '../../domain/json.ts';

/** Members of history events that describe the recording machine and that no replay reads. */
const OF_THE_MACHINE: Record<string, unknown> = {
  identity: 'recorder',
  stackTrace: '',
  binaryChecksum: '',
  buildId: '',
  source: 'recorder',
  workerVersion: undefined,
  inferredDeploymentVersion: undefined,
};

/** A worker's identity, also in the name of its sticky task queue. */
const PROCESS_AT_HOST = /\b\d+@[\w.-]+/;

/** A history without machine details: host names, process ids, paths in stack traces. */
export function scrubHistory(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(scrubHistory);
  if (typeof value === 'string') return value.replace(PROCESS_AT_HOST, 'recorder');
  if (typeof value !== 'object' || value === null) return value;
  const scrubbed: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value as JsonObject)) {
    const replacement =
      Object.hasOwn(OF_THE_MACHINE, key) && typeof member !== 'object' ? OF_THE_MACHINE[key] : scrubHistory(member);
    if (replacement !== undefined) scrubbed[key] = replacement;
  }
  return scrubbed;
}
