/** Operator notes of one effect. A receipt shows all its evidence, so its size has a bound: 200 notes of 2,000 characters. */
export const NOTES_PER_EFFECT_MAX = 200;
