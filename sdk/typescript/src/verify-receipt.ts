import { canonicalText } from './canonical-text.ts';
import { isObject } from './replies.ts';

/** The end of a chain. Keep it elsewhere: a chain that was rewritten as a whole has another one. */
export interface ReceiptHead {
  sequence: number;
  hash: string;
}

export interface ReceiptBreak {
  /** Null for a record without an entry. */
  sequence: number | null;
  problem: 'content' | 'link' | 'end' | 'unchained';
  kind: string | null;
  recordId: string | null;
}

export interface ReceiptCheck {
  valid: boolean;
  entries: number;
  /** How many records have the hash that was recorded. */
  checked: { evidence: number; attempts: number; resolutions: number };
  head: ReceiptHead | null;
  /** The first fault. */
  brokenAt: ReceiptBreak | null;
}

type JsonObject = Record<string, unknown>;
type RecordKind = 'evidence' | 'attempt' | 'resolution';

interface ChainedRecord {
  is: RecordKind;
  id: string;
  content: JsonObject;
}

interface Entry extends ReceiptHead {
  kind: string;
  previousHash: string | null;
  record: ChainedRecord;
  intact: boolean;
}

/** What is hashed of a record, by the kind of the entry: docs/receipts.md, "What is chained". */
const CONTENT: Readonly<Record<string, (record: JsonObject) => JsonObject>> = {
  evidence: ({ chain: _chain, ...evidence }) => evidence,
  resolution: ({ chain: _chain, ...resolution }) => resolution,
  attempt_started: (attempt) => pick(attempt, ['id', 'number', 'kind', 'secretVersions', 'startedAt']),
  attempt_claimed: (attempt) => pick(attempt, ['id', 'claimedAt']),
  attempt_ended: (attempt) =>
    pick(attempt, ['id', 'status', 'observedOutcome', 'refusal', 'error', 'responseDigest', 'finishedAt']),
  late_answer: ({ id, lateAnswer }) => ({ id, ...(isObject(lateAnswer) ? lateAnswer : {}) }),
};

/**
 * Computes the hash chain of an effect anew from what it shows, and says where it breaks first. `effect` is the answer of
 * `GET /api/v2/actions/effects/{id}`, and need not come from the service. With `keptHead`, the end of the chain at an earlier time, it also
 * finds a chain that was cut or rewritten as a whole.
 *
 * @throws {TypeError} if it is no effect with its chains.
 */
export async function verifyReceipt(effect: unknown, keptHead?: ReceiptHead): Promise<ReceiptCheck> {
  const { id, environmentId, records } = readEffect(effect);
  const entries = await Promise.all(
    records.flatMap((record) => entriesOf(record).map((entry) => checked(entry, environmentId, id))),
  );
  entries.sort((a, b) => a.sequence - b.sequence);
  const last = entries.at(-1);
  const [brokenAt = null] = [...chainBreaks(entries), ...unchained(records), ...endBreaks(entries, keptHead)].sort(
    byPlace,
  );
  return {
    valid: brokenAt === null,
    entries: entries.length,
    checked: {
      evidence: entries.filter(({ intact, kind }) => intact && kind === 'evidence').length,
      attempts: new Set(entries.flatMap(({ intact, record }) => (intact && record.is === 'attempt' ? [record.id] : [])))
        .size,
      resolutions: entries.filter(({ intact, kind }) => intact && kind === 'resolution').length,
    },
    head: last === undefined ? null : { sequence: last.sequence, hash: last.hash },
    brokenAt,
  };
}

function readEffect(effect: unknown): { id: string; environmentId: string; records: ChainedRecord[] } {
  if (!isObject(effect)) throw new TypeError('The effect is no object.');
  const { id, environmentId, evidence, attempts, resolution } = effect;
  if (typeof id !== 'string' || typeof environmentId !== 'string')
    throw new TypeError('The effect has no id or no environmentId.');
  if (!Array.isArray(evidence) || !Array.isArray(attempts))
    throw new TypeError('The effect has no evidence or no attempts.');
  return {
    id,
    environmentId,
    records: [
      ...evidence.map((record) => readRecord('evidence', record)),
      ...attempts.map((record) => readRecord('attempt', record)),
      ...(resolution === null || resolution === undefined ? [] : [readRecord('resolution', resolution)]),
    ],
  };
}

function readRecord(is: RecordKind, record: unknown): ChainedRecord {
  if (!isObject(record) || typeof record['id'] !== 'string' || !Array.isArray(record['chain']))
    throw new TypeError(
      `The effect has a record (${is}) without an id or a chain: read the effect by its id, lists are shortened.`,
    );
  return { is, id: record['id'], content: record };
}

function entriesOf(record: ChainedRecord): Omit<Entry, 'intact'>[] {
  return (record.content['chain'] as unknown[]).map((entry) => {
    if (!isObject(entry)) throw new TypeError(`An entry of ${record.id} is no object.`);
    const { sequence, kind, previousHash, hash } = entry;
    if (typeof sequence !== 'number' || typeof kind !== 'string' || typeof hash !== 'string')
      throw new TypeError(`An entry of ${record.id} lacks its sequence, kind or hash.`);
    return { sequence, kind, previousHash: typeof previousHash === 'string' ? previousHash : null, hash, record };
  });
}

async function checked(entry: Omit<Entry, 'intact'>, environmentId: string, effectId: string): Promise<Entry> {
  const { previousHash, sequence, kind, hash, record } = entry;
  const contentOf = Object.hasOwn(CONTENT, kind) ? CONTENT[kind] : undefined;
  if (contentOf === undefined) return { ...entry, intact: false };
  const text = canonicalText([previousHash, environmentId, effectId, sequence, kind, contentOf(record.content)]);
  return { ...entry, intact: hash === (await sha256(text)) };
}

async function sha256(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return `sha256:${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

function chainBreaks(entries: readonly Entry[]): ReceiptBreak[] {
  return entries.flatMap(({ sequence, kind, previousHash, record, intact }, index) => {
    const place = { sequence, kind, recordId: record.id };
    const follows = sequence === index + 1 && previousHash === (entries[index - 1]?.hash ?? null);
    return [
      ...(intact ? [] : [{ ...place, problem: 'content' as const }]),
      ...(follows ? [] : [{ ...place, problem: 'link' as const }]),
    ];
  });
}

function unchained(records: readonly ChainedRecord[]): ReceiptBreak[] {
  return records.flatMap((record) => {
    const kinds = new Set(entriesOf(record).map(({ kind }) => kind));
    return dueKinds(record)
      .filter((kind) => !kinds.has(kind))
      .map((kind) => ({ sequence: null, problem: 'unchained' as const, kind, recordId: record.id }));
  });
}

/** The entries that a record must have. */
function dueKinds({ is, content }: ChainedRecord): string[] {
  if (is !== 'attempt') return [is];
  return [
    'attempt_started',
    ...(content['claimedAt'] === null ? [] : ['attempt_claimed']),
    ...(content['status'] === 'started' ? [] : ['attempt_ended']),
    ...(isObject(content['lateAnswer']) ? ['late_answer'] : []),
  ];
}

function endBreaks(entries: readonly Entry[], kept: ReceiptHead | undefined): ReceiptBreak[] {
  if (kept === undefined || entries.some(({ sequence, hash }) => sequence === kept.sequence && hash === kept.hash))
    return [];
  return [{ sequence: kept.sequence, problem: 'end', kind: null, recordId: null }];
}

/** As the service orders them: by sequence, records without an entry last. */
function byPlace(a: ReceiptBreak, b: ReceiptBreak): number {
  const [left, right] = [a.sequence ?? Infinity, b.sequence ?? Infinity];
  if (left !== right) return left - right;
  return compare(a.problem, b.problem) || compare(a.recordId ?? '', b.recordId ?? '');
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function pick(record: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, record[name] ?? null]));
}
