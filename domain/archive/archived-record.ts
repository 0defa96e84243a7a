import { createHash } from 'node:crypto';
import { itemsOf, membersOf, objectOf } from './jsonb-text.ts';

type Row = ReadonlyMap<string, string>;
type Tables = (name: string) => Row[];

const NULL = 'null';

/** `sha256:<64 hex>` over the bytes of a text, as `receipt_digest` of the database makes it. */
export function digestOfText(text: string | Buffer): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** What an archive says of one invocation. */
export interface ArchivedRecord {
  invocationId: string;
  environmentId: string;
  /** What is wrong with the chain of its receipt; null where nothing is, or it has none. */
  receiptProblem: string | null;
}

/**
 * Reads a line of an archive: the rows of each table of one invocation. The chain of its receipt is computed from these rows, as
 * `GET /effects/{id}/verify` computes it from those of the database (docs/receipts.md).
 */
export function readRecord(line: string): ArchivedRecord {
  const texts = membersOf(line);
  const tables: Tables = (name) => itemsOf(texts.get(name) ?? '[]').map(membersOf);
  const [invocation] = tables('invocations');
  if (invocation === undefined) throw new Error('a line holds no invocation');
  const effects = tables('effects');
  return {
    invocationId: textOf(invocation, 'id'),
    environmentId: textOf(invocation, 'environment_id'),
    receiptProblem: effects.map((effect) => problemOf(effect, tables)).find((problem) => problem !== null) ?? null,
  };
}

function problemOf(effect: Row, tables: Tables): string | null {
  const contents = contentsOf(tables);
  const entries = tables('receipt_entries');
  let before = NULL;
  for (const [index, entry] of entries.entries()) {
    const place = `${textOf(entry, 'kind')} of ${textOf(entry, 'record_id')}`;
    const key = `${textOf(entry, 'kind')} ${textOf(entry, 'record_id')}`;
    if (rawOf(entry, 'sequence') !== String(index + 1) || rawOf(entry, 'previous_hash') !== before) {
      return `${place} does not follow from the entry before`;
    }
    const content = contents.get(key);
    const hashed = [
      before,
      rawOf(effect, 'environment_id'),
      rawOf(effect, 'id'),
      String(index + 1),
      rawOf(entry, 'kind'),
    ];
    if (content === undefined || digestOfText(`[${[...hashed, content].join(', ')}]`) !== textOf(entry, 'hash')) {
      return `${place} is not what was hashed`;
    }
    contents.delete(key);
    before = rawOf(entry, 'hash');
  }
  const [unchained] = contents.keys();
  if (unchained !== undefined) return `${unchained} has no entry`;
  const [chain] = tables('receipt_chains');
  const end = chain === undefined ? [String(0), NULL] : [rawOf(chain, 'sequence'), rawOf(chain, 'hash')];
  return end[0] === String(entries.length) && end[1] === before ? null : 'the chain does not end where it ended';
}

/** What was hashed of each record, by the kind of its entry and its id. The same as `receipt_content` of the database. */
function contentsOf(tables: Tables): Map<string, string> {
  const contents = new Map<string, string>();
  const put = (kind: string, row: Row, id: string, members: Record<string, string>): void => {
    contents.set(`${kind} ${textOf(row, id)}`, objectOf({ id: rawOf(row, id), ...members }));
  };
  for (const row of tables('evidence')) put('evidence', row, 'id', evidenceContent(row));
  for (const row of tables('attempts')) {
    put('attempt_started', row, 'id', {
      number: rawOf(row, 'number'),
      kind: rawOf(row, 'kind'),
      secretVersions: rawOf(row, 'secret_versions'),
      startedAt: timeOf(row, 'started_at'),
    });
    if (rawOf(row, 'claimed_at') !== NULL) put('attempt_claimed', row, 'id', { claimedAt: timeOf(row, 'claimed_at') });
    if (textOf(row, 'status') !== 'started') put('attempt_ended', row, 'id', endContent(row));
  }
  for (const row of tables('late_answers')) {
    const { status: _status, refusal: _refusal, finishedAt: _finishedAt, ...answer } = endContent(row);
    put('late_answer', row, 'attempt_id', { ...answer, recordedAt: timeOf(row, 'recorded_at') });
  }
  for (const row of tables('resolutions')) put('resolution', row, 'id', resolutionContent(row));
  return contents;
}

function evidenceContent(row: Row): Record<string, string> {
  return {
    source: rawOf(row, 'source'),
    observedAt: timeOf(row, 'observed_at'),
    impliedOutcome: rawOf(row, 'implied_outcome'),
    providerIds: rawOf(row, 'provider_ids'),
    summary: rawOf(row, 'summary'),
    details: rawOf(row, 'details'),
    actor: objectOf({ type: rawOf(row, 'actor_type'), id: rawOf(row, 'actor_id') }),
    recordedAt: timeOf(row, 'recorded_at'),
  };
}

function endContent(row: Row): Record<string, string> {
  const response = rawOf(row, 'response');
  return {
    status: rawOf(row, 'status'),
    observedOutcome: rawOf(row, 'observed_outcome'),
    refusal: rawOf(row, 'refusal'),
    error: rawOf(row, 'error'),
    responseDigest: response === NULL ? NULL : JSON.stringify(digestOfText(response)),
    finishedAt: timeOf(row, 'finished_at'),
  };
}

function resolutionContent(row: Row): Record<string, string> {
  return {
    outcome: rawOf(row, 'outcome'),
    previousOutcome: rawOf(row, 'previous_outcome'),
    partialEffect: rawOf(row, 'partial_effect'),
    settledImpact: rawOf(row, 'settled_impact'),
    evidence: objectOf({
      summary: rawOf(row, 'summary'),
      providerIds: rawOf(row, 'provider_ids'),
      url: rawOf(row, 'url'),
    }),
    resolvedBy: rawOf(row, 'resolved_by'),
    resolvedAt: timeOf(row, 'resolved_at'),
  };
}

function rawOf(row: Row, column: string): string {
  return row.get(column) ?? NULL;
}

function textOf(row: Row, column: string): string {
  return JSON.parse(rawOf(row, column)) as string;
}

/** A column's time in the form in which receipts hash it. */
function timeOf(row: Row, column: string): string {
  const raw = rawOf(row, column);
  return raw === NULL ? NULL : JSON.stringify(new Date(JSON.parse(raw) as string).toISOString());
}
