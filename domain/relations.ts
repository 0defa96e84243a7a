/** How an invocation relates to earlier ones. Its preview shows this, and the invocation must repeat it. */
export interface Relations {
  retryOf: string | null;
  /** Effects that must have succeeded before it is sent, each once. */
  dependsOn: readonly string[];
  compensates: string | null;
}

export const NO_RELATIONS: Relations = { retryOf: null, dependsOn: [], compensates: null };

/** The first member that differs, or null. The order of dependencies does not matter. */
export function differingRelation(left: Relations, right: Relations): keyof Relations | null {
  if (left.retryOf !== right.retryOf) return 'retryOf';
  if (left.compensates !== right.compensates) return 'compensates';
  const named = new Set(left.dependsOn);
  const isSame = named.size === right.dependsOn.length && right.dependsOn.every((id) => named.has(id));
  return isSame ? null : 'dependsOn';
}
