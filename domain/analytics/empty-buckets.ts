/** The bounds of the buckets between these edges (milliseconds), half-open, the oldest first. */
export function emptyBuckets(edges: readonly number[]): { start: string; end: string }[] {
  return edges.slice(1).map((end, index) => ({ start: isoOf(edges[index] ?? end), end: isoOf(end) }));
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
