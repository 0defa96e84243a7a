/** The arithmetic of billing, in BigInt. Only this file of `domain/billing` divides (test/architecture). */

/** Rounds `numerator / denominator` half up, away from zero: a correction takes back exactly what its line charged. `denominator` > 0. */
export function divideHalfUp(numerator: bigint, denominator: bigint): bigint {
  if (numerator < 0n) return -divideHalfUp(-numerator, denominator);
  return (2n * numerator + denominator) / (2n * denominator);
}

/** Rounds `numerator / denominator` down. Neither is negative; `denominator` > 0. */
export function divideDown(numerator: bigint, denominator: bigint): bigint {
  return numerator / denominator;
}

/** Whole seconds between two instants. Negative, and rounded towards zero, where `to` is earlier. */
export function secondsBetween(from: Date, to: Date): bigint {
  return BigInt(to.getTime() - from.getTime()) / 1_000n;
}

/** A quotient for people, cut after so many decimals and not rounded: 99.96 % is 99.9, because something is left. */
export function decimalOf(numerator: bigint, denominator: bigint, decimals: number): number {
  const digits = divideDown(numerator * 10n ** BigInt(decimals), denominator)
    .toString()
    .padStart(decimals + 1, '0');
  return Number(`${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`);
}

/** As JSON can hold it. Throws a RangeError beyond 2^53: a total that large is a mistake. */
export function wholeNumber(value: bigint): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError(`${value} is beyond what a number holds exactly`);
  return number;
}
