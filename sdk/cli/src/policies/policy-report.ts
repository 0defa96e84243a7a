import { createPatch } from 'diff';
import { CORE_SCHEMA, dump } from 'js-yaml';
import type { schemas } from 'agent-action-runtime-sdk';

export type Plan = schemas['ApprovalPolicyPlan'];
export type Applied = schemas['AppliedApprovalPolicyPlan'];
export type Tested = schemas['TestedApprovalPolicyFiles'];
type Result = Tested['results'][number];
type Rule = Result['trace'][number];

const ACTIONS = ['create', 'update', 'delete', 'none'] as const;
const SIGNS = { create: '+', update: '~', delete: '-', none: '=' } as const;
const VERBS = { create: 'to create', update: 'to change', delete: 'to delete', none: 'unchanged' } as const;
const CONTEXT_LINES = 2;
/** `Index:`, `===`, `---` and `+++`: the header of a patch of one file. */
const PATCH_HEADER_LINES = 4;

/** Policies that would change, as diffs. `nameOf` turns a request's path into a file name. */
export function reportPlan(plan: Plan, nameOf: (path: string) => string): string {
  const changes = plan.changes.flatMap(({ name, action, before, after }) =>
    action === 'none' ? [] : [`${SIGNS[action]} ${name}`, ...diffLines(before, after).map((line) => `    ${line}`)],
  );
  return [
    `Plan ${plan.planId} on revision ${plan.baseRevision}, until ${plan.expiresAt}`,
    `Digest ${plan.digest}`,
    ...changes,
    ...plan.warnings.map(({ path, message }) => `warning: ${nameOf(path)}: ${message}`),
    countsOf(plan),
  ].join('\n');
}

function diffLines(before: unknown, after: unknown): string[] {
  const textOf = (document: unknown): string =>
    document === null ? '' : dump(document, { schema: CORE_SCHEMA, lineWidth: -1, noRefs: true });
  const isWhole = before === null || after === null;
  return createPatch('policy', textOf(before), textOf(after), undefined, undefined, { context: CONTEXT_LINES })
    .split('\n')
    .slice(isWhole ? PATCH_HEADER_LINES + 1 : PATCH_HEADER_LINES)
    .filter((line) => line !== '' && !line.startsWith('\\'));
}

function countsOf({ changes, unchanged }: Plan): string {
  const counts = ACTIONS.flatMap((action) => {
    const count = changes.filter((change) => change.action === action).length;
    return count === 0 ? [] : [`${count} ${VERBS[action]}`];
  });
  return unchanged ? `Nothing changes: ${counts.join(', ')}.` : `${counts.join(', ')}.`;
}

export function reportApplied({ planId, revision, changes }: Applied): string {
  const lines = changes.flatMap(({ name, action, version }) =>
    action === 'none' ? [] : [`${SIGNS[action]} ${name}${action === 'delete' ? '' : ` version ${version}`}`],
  );
  return [...lines, `Applied ${planId}: the policies are at revision ${revision}.`].join('\n');
}

/** Verdicts with rule and facts; a failed fixture shows every evaluated rule. */
export function reportTest(tested: Tested): string {
  const lines = tested.results.flatMap(linesOf);
  const { passedCount, failedCount } = tested;
  return [...lines, `${passedCount} passed, ${failedCount} failed.`].join('\n');
}

function linesOf({ name, passed, problems, actual, trace, traceOmitted }: Result): string[] {
  const verdict = actual === null ? [] : [`     ${actual.effect}: ${actual.reason}`];
  const head = [`${passed ? 'ok  ' : 'FAIL'} ${name}`, ...verdict];
  if (passed) return head;
  return [
    ...head,
    ...problems.map((problem) => `     ! ${problem}`),
    ...trace.map((rule) => `       ${ruleLine(rule)}`),
    ...(traceOmitted === 0 ? [] : [`       and ${traceOmitted} more rules`]),
  ];
}

function ruleLine({ policyName, ruleId, outcome, detail, values }: Rule): string {
  const seen = Object.entries(values).map(([path, value]) => `${path} = ${value}`);
  const why = [...(detail === null ? [] : [detail]), ...(seen.length === 0 ? [] : [`saw ${seen.join(', ')}`])];
  return `${policyName}/${ruleId} ${outcome.replaceAll('_', ' ')}${why.length === 0 ? '' : `: ${why.join('; ')}`}`;
}
