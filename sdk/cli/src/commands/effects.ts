import { verifyReceipt, type Client, type Effect } from 'agent-action-runtime-sdk';
import { EXIT, UsageError, type ExitCode } from '../exit.ts';
import { describeReceipt, exitOfOutcome, nextStepOf } from '../receipt-report.ts';
import { clientOf, commandLine, definedOf, type CommonOptions } from '../session.ts';
import { matched, namedFilters, plain, table, type Terminal } from '../terminal.ts';

const PAGE_ROWS_MAX = 100;

export interface ListEffectsOptions extends CommonOptions {
  grade?: Effect['grade'];
  stage?: Effect['stage'];
  outcome?: Effect['outcome'];
  action?: string;
  limit: number;
  page: number;
}

export async function listEffects(options: ListEffectsOptions, terminal: Terminal): Promise<ExitCode> {
  const { grade, stage, outcome, action, limit, page } = options;
  const filters = { grade, stage, outcome, action };
  const { api } = clientOf(options, terminal);
  const reply = await api.GET('/api/v2/actions/effects', { params: { query: { ...definedOf(filters), limit, page } } });
  const { data: effects = [], pagination } = reply.data ?? {};
  if (options.json === true) {
    terminal.print(JSON.stringify(effects));
    return EXIT.ok;
  }
  const isPast = page > 1 && effects.length === 0;
  if (effects.length === 0) {
    terminal.print(
      isPast
        ? `There is no page ${page}: the last one is ${pagination?.totalPages ?? 1}.`
        : matched('No receipt', filters, 'There is no receipt yet: nothing governed was invoked.'),
    );
    return EXIT.ok;
  }
  const rows = effects.map((one) => [one.createdAt, one.grade, one.stage, one.outcome, plain(one.action.name), one.id]);
  terminal.print(table([['TIME', 'GRADE', 'STAGE', 'OUTCOME', 'ACTION', 'RECEIPT'], ...rows]));
  const unknown = effects.find((one) => one.outcome === 'unknown');
  if (pagination?.hasMore === true)
    terminal.print(
      `Page ${page} of ${pagination.totalPages}. Next page: ${commandLine(options, ['effects list', ...namedFilters(filters), `--limit ${limit} --page ${page + 1}`].join(' '))}`,
    );
  if (unknown !== undefined)
    terminal.print(
      `Next: ${commandLine(options, `effects show ${unknown.id}`)}   (its outcome is unknown: do not run it again)`,
    );
  return EXIT.ok;
}

export const LISTED = { rowsMax: PAGE_ROWS_MAX, rows: 20 } as const;

/** Verifies the hash chain on this machine. */
export async function showEffect(id: string, options: CommonOptions, terminal: Terminal): Promise<ExitCode> {
  requireEffectId(id, options);
  return report(await readEffect(clientOf(options, terminal), id), options, terminal);
}

export function readEffect(client: Client, id: string): Promise<Effect> {
  return client.call('GET', '/api/v2/actions/effects/{id}', { path: { id } });
}

/** Prints a receipt and the next step. `exit`: the command's code when the chain is valid. */
export async function report(
  effect: Effect,
  options: CommonOptions,
  terminal: Terminal,
  exit: ExitCode = exitOfOutcome(effect),
): Promise<ExitCode> {
  const chain = await verifyReceipt(effect);
  const next = nextStepOf(effect, chain, (command) => commandLine(options, command));
  terminal.print(
    options.json === true
      ? JSON.stringify({ effect, chain })
      : [describeReceipt(effect, chain), ...next.map((step) => `Next: ${step}`)].join('\n'),
  );
  return chain.valid ? exit : EXIT.notOk;
}

/** Ids that users may have when they look for a receipt. */
const OTHER_IDS: Readonly<Record<string, { kind: string; receiptBy: (id: string) => string }>> = {
  inv: { kind: 'an invocation', receiptBy: (id) => `logs --invocation ${id}` },
  apr: { kind: 'an approval', receiptBy: () => 'effects list' },
  prv: { kind: 'a preview', receiptBy: () => 'effects list' },
  act: { kind: 'an action', receiptBy: () => 'effects list --action <name>' },
  att: { kind: 'an attempt', receiptBy: () => 'effects list' },
  evd: { kind: 'evidence', receiptBy: () => 'effects list' },
  msg: { kind: 'a message, which has no receipt', receiptBy: () => 'effects list' },
};

/** @throws {UsageError} for the id of another kind. The service judges unknown forms. */
export function requireEffectId(id: string, options: CommonOptions): void {
  const other = OTHER_IDS[/^([a-z]{3})_/.exec(id)?.[1] ?? ''];
  if (other === undefined) return;
  throw new UsageError(
    `${id} is the id of ${other.kind}. A receipt's id begins with eff_.\nNext: ${commandLine(options, other.receiptBy(id))}`,
  );
}
