import type { DeclaredImpact } from '../impact.ts';
import type { PolicyVerdict } from '../approval-policies/verdict.ts';
import type { InvocationState } from '../refs.ts';
import type { Refusal } from '../refusals.ts';
import { missingSecrets } from '../secret-refusals.ts';
import { type Consent, refusalOfPolicies } from './consent.ts';

/**
 * The one judgement of an invocation. Admission, evaluation, the last look and the claim of the dispatch, dry runs and
 * previews call it; each reads the facts that it can, under its own locks, and leaves the rest as in `NOTHING_KNOWN`.
 */

export interface Facts {
  /** Why the environment is halted; null while it runs. */
  halt: string | null;
  action: { name: string; isArchived: boolean };
  /** Why the requester may no longer act. Null for one who asks now. */
  requester: Refusal | null;
  /** Why the request cannot be sent: its version, its destination, its recipients, its digest. */
  request: Refusal | null;
  /** What the last read of the provider's record forbids. */
  provider: Refusal | null;
  /** What is used up; null where only a read of the provider tells. */
  impact: DeclaredImpact | null;
  /** What the policies, the action and the environment's default decide; null where the impact is not known. */
  verdict: PolicyVerdict | null;
  /** What people, or the policies before a wait, have said already. */
  consent: Consent;
  /** How what would be sent differs from the preview that binds it. */
  binding: Refusal | null;
  /** Names of the action's secrets that the environment does not have. */
  missingSecrets: readonly string[];
  /** Why a file that the request carries cannot be sent. */
  files: Refusal | null;
  /** Effects that must succeed first: those that have not yet, and why one of them never will. */
  dependencies: Dependencies;
  /** The impact limits that lack room. */
  limits: Refusal | null;
  /** True where the provider was read, but too long ago to send by it. */
  isReadOutdated: boolean;
}

export interface Dependencies {
  awaited: readonly string[];
  refusal: Refusal | null;
}

/** The facts of a way that has read nothing yet. */
export const NOTHING_KNOWN: Facts = {
  halt: null,
  action: { name: '', isArchived: false },
  requester: null,
  request: null,
  provider: null,
  impact: null,
  verdict: null,
  consent: 'none',
  binding: null,
  missingSecrets: [],
  files: null,
  dependencies: { awaited: [], refusal: null },
  limits: null,
  isReadOutdated: false,
};

/** A verdict that asks people, and so has its terms. */
export type AskingVerdict = PolicyVerdict & { terms: NonNullable<PolicyVerdict['terms']> };

export type Judgement =
  /** `verdict`: null where a rule before the policies refused. */
  | { next: 'refuse'; refusal: Refusal; verdict: PolicyVerdict | null }
  /** The provider's record must be read first; then it is judged again. */
  | { next: 'read_provider' }
  | { next: 'ask_for_approval'; verdict: AskingVerdict }
  | { next: 'wait_for_effects'; effectIds: readonly string[]; verdict: PolicyVerdict }
  | { next: 'send'; verdict: PolicyVerdict };

type Rule = (facts: Facts) => Refusal | null;

/**
 * The order of refusal, the same for all ways: halted, archived, what cannot be sent at all, policy denial, secrets, limits.
 * The first rule that refuses gives the reason. What people are asked comes after all of them, so that nobody is asked about an
 * invocation that would be refused. Source: docs/invocations.md, "The order of refusal".
 */
export const RULES: readonly (readonly [name: string, rule: Rule])[] = [
  ['halted', ({ halt }) => (halt === null ? null : { code: 'environment_halted', message: halt })],
  ['archived', ({ action }) => (action.isArchived ? archived(action.name) : null)],
  ['requester', ({ requester }) => requester],
  ['request', ({ request }) => request],
  ['provider', ({ provider }) => provider],
  ['impact', ({ impact }) => (impact === null || impact.ok ? null : impact.refusal)],
  ['policies', ({ verdict, consent }) => (verdict === null ? null : refusalOfPolicies(verdict, consent))],
  ['binding', ({ binding }) => binding],
  ['secrets', ({ missingSecrets: names }) => (names.length === 0 ? null : missingSecrets(names))],
  ['files', ({ files }) => files],
  ['dependencies', ({ dependencies }) => dependencies.refusal],
  ['limits', ({ limits }) => limits],
];

const POLICIES = RULES.findIndex(([name]) => name === 'policies');

export function judge(facts: Facts): Judgement {
  const { verdict, consent, dependencies } = facts;
  for (const [at, [, rule]] of RULES.entries()) {
    const refusal = rule(facts);
    if (refusal !== null) return { next: 'refuse', refusal, verdict: at < POLICIES ? null : verdict };
  }
  if (verdict === null) return { next: 'read_provider' };
  if (consent === 'none' && asksPeople(verdict)) return { next: 'ask_for_approval', verdict };
  if (dependencies.awaited.length > 0) return { next: 'wait_for_effects', effectIds: dependencies.awaited, verdict };
  return facts.isReadOutdated ? { next: 'read_provider' } : { next: 'send', verdict };
}

/** Why it is refused by these facts alone; null where they do not refuse it. */
export function refusalBy(known: Partial<Facts>): Refusal | null {
  const judgement = judge({ ...NOTHING_KNOWN, ...known });
  return judgement.next === 'refuse' ? judgement.refusal : null;
}

function archived(name: string): Refusal {
  return { code: 'action_disabled', message: `action ${name} is archived` };
}

function asksPeople(verdict: PolicyVerdict): verdict is AskingVerdict {
  return verdict.effect === 'require_approval' && verdict.terms !== null;
}

export interface Onward {
  effectId: string | null;
  actionName: string;
  timeoutMs: number;
  /** The workflow knows no configuration: its history keeps the value that its worker had. */
  heartbeatTimeoutMs: number;
  readsBack: boolean;
}

/** A judgement after it was carried out, as the workflow sees it. */
export type Judged =
  /** The admission was withdrawn before the workflow began. */
  | { next: 'withdrawn' }
  /** It was refused, or ended while it waited: denied, expired or cancelled. */
  | { next: 'ended'; state: InvocationState }
  | { next: 'read_provider'; actionName: string }
  | ({ next: 'ask_for_approval'; approvalId: string } & Onward)
  | ({ next: 'wait_for_effects'; effectIds: readonly string[] } & Onward)
  /** The fence is written: the dispatch may be claimed. */
  | ({ next: 'send' } & Onward);
