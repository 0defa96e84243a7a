import type { Effect, ReceiptCheck } from 'agent-action-runtime-sdk';
import { EXIT, type ExitCode } from './exit.ts';
import { plain } from './terminal.ts';

/**
 * Like `invoke`, except that a failure is a success here: the receipt was found. An effect given up before sending has `not_dispatched` and
 * is settled or rejected.
 */
export function exitOfOutcome({ outcome, stage }: Pick<Effect, 'outcome' | 'stage'>): ExitCode {
  if (outcome === 'unknown') return EXIT.unknown;
  return outcome === 'pending' || !ENDED.has(stage) ? EXIT.waiting : EXIT.ok;
}

const ENDED: ReadonlySet<Effect['stage']> = new Set(['settled', 'rejected']);

/** Amounts are minor units, as in the API. */
export function describeReceipt(effect: Effect, { brokenAt, entries, head }: ReceiptCheck): string {
  const { id, grade, stage, outcome, partialEffect, action, invocationId, approvalId, resolution } = effect;
  const impact = effect.impact.map((quantity) => `impact      ${plain(JSON.stringify(quantity))}`);
  const reserved = effect.reservations.map(
    ({ name, amount, state, currency, settled, released }) =>
      `limit       ${plain(name)}: ${amount}${currency === null ? '' : ` ${currency}`} ${state}` +
      (state === 'settled' ? ` (${settled} used, ${released} given back)` : ''),
  );
  const attempts = effect.attempts.map(
    ({ number, kind, status, observedOutcome, startedAt }) =>
      `attempt ${number}   ${kind} ${status}: ${observedOutcome ?? 'nothing seen'}  ${startedAt}`,
  );
  const evidence = effect.evidence.map(
    ({ source, summary, recordedAt }) => `evidence    ${source}: ${plain(summary)}  ${recordedAt}`,
  );
  return [
    `${grade.toUpperCase()}  ${plain(action.name)}  ${id}`,
    `stage       ${stage}, outcome ${outcome}${partialEffect === 'none' ? '' : `, partial effect ${partialEffect}`}`,
    `invocation  ${invocationId}`,
    ...(approvalId === null ? [] : [`approval    ${approvalId}`]),
    ...impact,
    ...reserved,
    ...attempts,
    ...evidence,
    ...(resolution === null ? [] : [`resolved    ${resolvedBy(resolution)}`]),
    brokenAt === null
      ? `chain       whole: ${entries} entries, head ${head?.hash ?? 'none'}`
      : `chain       BROKEN at ${brokenAt.sequence ?? brokenAt.recordId}: ${brokenAt.problem}`,
  ].join('\n');
}

function resolvedBy(resolution: Record<string, unknown>): string {
  const { outcome, previousOutcome, resolvedBy: by, resolvedAt } = resolution;
  const { type, id } = (by ?? {}) as { type?: string; id?: string };
  return plain(
    `${String(outcome)} (was ${String(previousOutcome)}), by ${type} ${id}, for good  ${String(resolvedAt)}`,
  );
}

/** Empty when nothing is left to do. */
export function nextStepOf(
  effect: Effect,
  { valid }: Pick<ReceiptCheck, 'valid'>,
  commandLine: (command: string) => string,
): string[] {
  const { id, outcome, stage, invocationId, approvalId, reconciliation } = effect;
  if (!valid) return ['this receipt is not what was recorded: keep a copy, and tell who runs the service'];
  if (outcome === 'unknown') {
    const reads =
      reconciliation.nextAt === null
        ? 'The provider is read no more: a person has to resolve it'
        : `The provider is read at ${reconciliation.nextAt}`;
    return [
      `do not run it again. ${reads}`,
      `${commandLine(`effects reconcile ${id}`)}   reads it now`,
      `${commandLine(`effects resolve ${id} --outcome <succeeded|failed> --summary <how you know>`)}   records what you found at the provider, for good`,
    ];
  }
  if (stage === 'awaiting_approval' && approvalId !== null)
    return [`a person decides: ${commandLine(`approvals approve ${approvalId}`)}`];
  if (outcome === 'pending' && reconciliation.exhausted)
    return [
      `the provider is still working on it and is read no more: ${commandLine(`effects reconcile ${id}`)}, or effects resolve`,
    ];
  if (outcome === 'pending' || !ENDED.has(stage))
    return [`it is under way: ${commandLine(`logs --invocation ${invocationId} --wait 60`)}`];
  return [];
}
