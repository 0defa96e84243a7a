/** Says on standard error what takes its time, so that nobody takes it for a standstill, and afterwards how long it took. */
export async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  console.error(`${what} …`);
  const result = await work();
  console.error(`${what}: ${((performance.now() - startedAt) / 1_000).toFixed(1)} s.`);
  return result;
}
