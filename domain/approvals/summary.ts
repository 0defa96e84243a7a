import type { ImpactQuantity } from '../actions.ts';
import type { PreparedRequest } from '../adapters/adapter-descriptor.ts';
import { cutText } from '../cut-text.ts';
import { impactText } from '../impact.ts';

/** What an approver reads first. Everything in it came from a caller or an action: one line, and never longer than the database takes. */
export interface AskedInvocation {
  actionName: string;
  environmentName: string;
  requestedBy: { type: string; id: string | null; name: string | null };
  agentId: string | null;
  /** In the form that is shown: a credential is `{{secret:NAME}}`. */
  request: Pick<PreparedRequest, 'method' | 'url'>;
  impact: readonly ImpactQuantity[];
}

const TITLE_CHARACTERS_MAX = 200;
const URL_CHARACTERS_MAX = 300;

/** "refund.create in Production" */
export function invocationTitle({ actionName, environmentName }: AskedInvocation): string {
  return oneLine(`${actionName} in ${environmentName}`, TITLE_CHARACTERS_MAX);
}

/** "Agent support-bot (key CI) asks to run refund.create in Production: POST https://… moving 600.00 USD." */
export function invocationSummary(asked: AskedInvocation): string {
  const { method, url } = asked.request;
  const call = `${method} ${oneLine(url, URL_CHARACTERS_MAX)}`;
  const uses = impactText(asked.impact);
  return `${whoAsks(asked)} asks to run ${asked.actionName} in ${oneLine(asked.environmentName, 100)}: ${call}${uses === '' ? '' : `, ${uses}`}.`;
}

function whoAsks({ requestedBy, agentId }: AskedInvocation): string {
  const kind = requestedBy.type === 'api_key' ? 'key' : 'user';
  const credential = `${kind} ${oneLine(requestedBy.name ?? requestedBy.id ?? 'unknown', 100)}`;
  return agentId === null ? capitalized(credential) : `Agent ${oneLine(agentId, 100)} (${credential})`;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Without line breaks and other controls, which could make one line look like several, and cut to a length. */
function oneLine(text: string, most: number): string {
  const flat = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
  return cutText(flat, most);
}
