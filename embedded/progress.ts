/** Reports the start and the duration of slow work on standard error. */
export async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  console.error(`${what} …`);
  const result = await work();
  console.error(`${what}: ${((performance.now() - startedAt) / 1_000).toFixed(1)} s.`);
  return result;
}
