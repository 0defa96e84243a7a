/** Makes a value on the first call and returns it from then on. A failure is not kept. Later arguments are ignored. */
export function remembered<Given extends unknown[], Made>(
  make: (...given: Given) => Promise<Made>,
): (...given: Given) => Promise<Made> {
  let kept: Promise<Made> | null = null;
  return (...given) => {
    if (kept !== null) return kept;
    kept = make(...given);
    kept.catch(() => (kept = null));
    return kept;
  };
}
