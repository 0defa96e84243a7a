/**
 * Makes a value once, by its first call, and answers it from then on. A failure is not kept: the next call makes it again. Arguments
 * of later calls are not looked at.
 */
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
