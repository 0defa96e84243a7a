/**
 * What a conversion lost, as bits. Accepting more is harmless, but in a `not`, an `if` or a `oneOf`, which cannot stay.
 */
/** It takes more values than the schema of the document. */
export const WIDER = 1;
/** It evaluates fewer members or items than the schema of the document, so that `unevaluatedProperties` beside it would refuse them. */
export const UNSEEN = 2;
/** A keyword could not be kept, which the caller is told. */
export const DROPPED = 4;

export type Losses = ReadonlyMap<string, number>;

/** Whether nothing was lost in a target of a reference that `known` does not have. */
export function coversLosses(known: Losses, found: Losses): boolean {
  return [...found].every(([reference, loss]) => ((known.get(reference) ?? 0) | loss) === (known.get(reference) ?? 0));
}
