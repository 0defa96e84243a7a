/**
 * Reads of one effect, planned ones and those on request, beyond which no more is read on request. A receipt shows each of them, so its
 * size has a bound. The plan of an effect has fewer than a hundred.
 */
export const READS_PER_EFFECT_MAX = 300;
