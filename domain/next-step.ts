import type { Grade, InvocationStatus } from './lifecycle.ts';
import type { RefusedFacts } from './refusal-facts.ts';
import { AGAIN, type RefusalCode, refusalEntry } from './refusals.ts';

/** The state of an invocation that decides what its caller does next. */
export interface NextStepFacts extends RefusedFacts {
  status: InvocationStatus;
  grade: Grade;
  /** Null under every status that carries no refusal. */
  code: RefusalCode | null;
  awaitsDependencies: boolean;
  /** Until when its approval can be decided; null unless it waits for one. */
  expiresAt: string | null;
  /** The preview that its caller named, which it has used up. */
  namedPreviewId: string | null;
}

/** One sentence that an agent can follow. Returns null when nothing is left to do. */
export function nextStepOf(facts: NextStepFacts): string | null {
  const { status, code, invocationId, approvalId } = facts;
  if (code !== null) return withNewPreview(refusalEntry(code).nextStep(facts), facts);
  const poll = `poll GET /api/v2/actions/invocations/${invocationId}?wait=30`;
  switch (status) {
    case 'pending_approval':
      return `Ask a person to decide approval ${approvalId ?? ''}${facts.expiresAt === null ? '' : ` before ${facts.expiresAt}`} and ${poll}; do not invoke it again.`;
    case 'queued':
      return facts.awaitsDependencies
        ? `It waits for the effects that it depends on: ${poll}; do not invoke it again.`
        : `It is under way: ${poll}; do not invoke it again.`;
    case 'dispatching':
      return facts.grade === 'unknown'
        ? `Its outcome is being found out: ${poll}; do not invoke it again.`
        : `It is under way at the provider: ${poll}; do not invoke it again.`;
    default:
      return null; // succeeded; the others carry a code
  }
}

/** A preview serves one invocation: whoever named one needs another to ask again. */
function withNewPreview(step: string, { namedPreviewId }: NextStepFacts): string {
  if (namedPreviewId === null || /new preview/i.test(step)) return step;
  return step.replace(AGAIN, `make a new preview and, with its previewId, ${AGAIN}`);
}
