/** The facts that a refusal's next step is written from. */
export interface RefusedFacts {
  invocationId: string;
  effectId: string | null;
  approvalId: string | null;
  details: RefusalDetails;
}

/** What a machine reads of a refusal: ids, names, counts, times, and no text of others. The list is closed. */
export type RefusalDetails = {
  approvalId?: string;
  effectId?: string;
  previewId?: string;
  policyId?: string;
  ruleId?: string;
  keyId?: string;
  fileId?: string;
  limitId?: string;
  /** Every limit that has too little left, the named one first. */
  limitIds?: string[];
  available?: number;
  requested?: number;
  currency?: string;
  /** When the same request may pass, where that is known. */
  resumeAt?: string;
  expiresAt?: string;
  versionId?: string;
  currentVersionId?: string;
  secrets?: string[];
  host?: string;
  /** What to mend, each with a path into the request, such as `input.amount`. */
  issues?: { path: string; message: string }[];
};

/** "policy pol_…", or "the policy" where its id is not on record. */
export function named(what: string, id: string | undefined): string {
  return id === undefined ? `the ${what}` : `${what} ${id}`;
}

/** Where a person records the outcome: of the effect where one governs. */
export function resolvePath({ invocationId, effectId }: Pick<RefusedFacts, 'invocationId' | 'effectId'>): string {
  return effectId === null
    ? `/api/v2/actions/invocations/${invocationId}/resolve`
    : `/api/v2/actions/effects/${effectId}/resolve`;
}

/** A governed effect is read back by the service. The outcome of a plain invocation only a person finds out. */
export function findOut(facts: RefusedFacts): string {
  const { effectId, details, invocationId } = facts;
  const ask = `ask a person to look at the destination and to record the outcome at POST ${resolvePath(facts)}`;
  if (effectId === null) return `Do not run it again: ${ask}.`;
  const when = details.resumeAt === undefined ? '' : ` (next at ${details.resumeAt})`;
  return `Do not run it again: the service reads the provider by itself${when}; poll GET /api/v2/actions/invocations/${invocationId}?wait=30, and if it stays unknown, ${ask}.`;
}
