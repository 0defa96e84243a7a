import { verifyReceipt, type Effect, type ReceiptCheck } from 'agent-action-runtime-sdk';
import { EXIT, type ExitCode } from '../exit.ts';
import { clientOf, type CommonOptions } from '../session.ts';
import { plain, type Terminal } from '../terminal.ts';

/** A receipt, with its hash chain computed anew on this machine. */
export async function showEffect(id: string, options: CommonOptions, terminal: Terminal): Promise<ExitCode> {
  const effect = await clientOf(options, terminal).call('GET', '/api/v2/actions/effects/{id}', { path: { id } });
  const chain = await verifyReceipt(effect);
  terminal.print(options.json === true ? JSON.stringify({ effect, chain }) : describe(effect, chain));
  if (!chain.valid) return EXIT.notOk;
  return effect.outcome === 'unknown' ? EXIT.unknown : EXIT.ok;
}

function describe(effect: Effect, chain: ReceiptCheck): string {
  const {
    id,
    grade,
    stage,
    outcome,
    partialEffect,
    action,
    invocationId,
    approvalId,
    impact,
    attempts,
    evidence,
    reconciliation,
  } = effect;
  const { brokenAt, head } = chain;
  const isUnknown = outcome === 'unknown';
  return [
    `${grade.toUpperCase()}  ${plain(action.name)}  ${id}`,
    `stage       ${stage}, outcome ${outcome}${partialEffect === 'none' ? '' : `, partial effect ${partialEffect}`}`,
    `invocation  ${invocationId}`,
    ...(approvalId === null ? [] : [`approval    ${approvalId}`]),
    ...impact.map((quantity) => `impact      ${plain(JSON.stringify(quantity))}`),
    ...attempts.map(
      (attempt) =>
        `attempt ${attempt.number}   ${attempt.kind} ${attempt.status}: ${attempt.observedOutcome ?? 'nothing seen'}  ${attempt.startedAt}`,
    ),
    ...evidence.map(({ source, summary, recordedAt }) => `evidence    ${source}: ${plain(summary)}  ${recordedAt}`),
    brokenAt === null
      ? `chain       whole: ${chain.entries} entries, head ${head?.hash ?? 'none'}`
      : `chain       BROKEN at ${brokenAt.sequence ?? brokenAt.recordId}: ${brokenAt.problem}`,
    ...(brokenAt === null
      ? []
      : ['Next: this receipt is not what was recorded: keep a copy, and tell who runs the service']),
    ...(isUnknown
      ? [
          `Next: do not run it again. The provider is read ${reconciliation.nextAt === null ? 'no more: a person has to resolve it' : `at ${reconciliation.nextAt}`}`,
        ]
      : []),
  ].join('\n');
}
