import type { DryRun } from 'agent-action-runtime-sdk';
import { EXIT, type ExitCode } from './exit.ts';

/** As the invocation would exit, as far as known without sending it. */
export const DRY_RUN_EXIT: Readonly<Record<DryRun['next'], ExitCode>> = {
  send: EXIT.ok,
  read_provider: EXIT.ok,
  ask_for_approval: EXIT.waiting,
  refuse: EXIT.notOk,
};

const WOULD: Readonly<Record<DryRun['next'], string>> = {
  send: 'it would be sent at once',
  read_provider: 'it would read the provider first: only that says what it uses, and whether it may be sent',
  ask_for_approval: 'it would wait for a person to agree',
  refuse: 'it would be refused, and nothing sent',
};

/** Amounts are minor units, as in the API. */
export function describeDryRun(would: DryRun): string {
  const { action, governed, next, refusal, request, impact, decision, allowances } = would;
  const quorum = decision?.quorum ?? null;
  return [
    `DRY RUN  ${action.name}  ${governed ? 'governed' : 'plain'}: ${WOULD[next]}. Nothing was sent or recorded.`,
    ...(refusal === null ? [] : [`refusal     ${refusal.code}: ${refusal.message}`]),
    ...(decision === null
      ? []
      : [
          `decision    ${decision.effect}, by the ${decision.source}${quorum === null ? '' : `: ${quorum} must agree`}`,
        ]),
    ...(impact ?? []).map(
      ({ dimension, currency, amount, bound }) =>
        `impact      ${dimension}: ${bound === 'exact' ? '' : 'up to '}${amount}${currency === undefined ? '' : ` ${currency}`}`,
    ),
    ...allowances.map(
      ({ name, requested, available, cap, sufficient }) =>
        `limit       ${name}: ${requested} of ${available} left (cap ${cap})${sufficient ? '' : ', NOT ENOUGH'}`,
    ),
    'exactly:',
    ...JSON.stringify(request, null, 2)
      .split('\n')
      .map((line) => `  ${line}`),
    ...(next === 'read_provider'
      ? ['Next: invoke it, or make a preview, which reads the provider and sends nothing']
      : []),
  ].join('\n');
}
