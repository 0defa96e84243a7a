import { type JsonObject, textOf } from '../json.ts';
import type { Grade, InvocationStatus } from '../lifecycle.ts';

export interface ToldInvocation {
  id: string;
  status: InvocationStatus;
  grade: Grade;
  action: { name: string };
  approvalId: string | null;
  error: string | null;
  refusal: { code: string; message: string } | null;
  nextStep: string | null;
}

/**
 * What an agent reads first: status and grade, why, what to do. A refusal's code stands in the grade's place: "REFUSED
 * (impact_limit_exceeded): …". `decideAt`: where a person decides, during the wait for approval.
 */
export function headlineOfInvocation(invocation: ToldInvocation, decideAt: string | null): string {
  const { id, status, grade, action, approvalId, error, refusal, nextStep } = invocation;
  const sentences = [`${status.toUpperCase()} (${refusal?.code ?? grade}): invocation ${id} of ${action.name}.`];
  const why = refusal?.message ?? error;
  if (why !== null && why !== undefined) sentences.push(sentence(why));
  if (status === 'pending_approval' && approvalId !== null) {
    sentences.push(
      decideAt === null
        ? `A person decides on approval ${approvalId}.`
        : `A person decides at ${decideAt} (approval ${approvalId}).`,
    );
  }
  if (nextStep !== null) sentences.push(sentence(inTools(nextStep)));
  return sentences.join(' ');
}

export function headlineOfEffect(effect: JsonObject): string {
  const of = (member: string): string => textOf(effect, member);
  return `${of('outcome').toUpperCase()} (${of('grade')}): effect ${of('id')}, stage ${of('stage')}.`;
}

export function headlineOfPreview(preview: JsonObject, actionName: string): string {
  return (
    `PREVIEW (nothing was sent): ${textOf(preview, 'id')} of ${actionName} holds until ${textOf(preview, 'expiresAt')}. ` +
    'Invoke with this previewId to have exactly this sent, or nothing.'
  );
}

function inTools(nextStep: string): string {
  return nextStep.replaceAll(
    /poll GET \/api\/v2\/actions\/invocations\/(\w+)\?wait=(\d+)/g,
    'call get_invocation with id $1 and waitSeconds $2',
  );
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
