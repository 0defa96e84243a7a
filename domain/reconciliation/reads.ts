/** Reads of one effect, planned ones included, beyond which none is read on request: a receipt shows each. */
export const READS_PER_EFFECT_MAX = 300;
