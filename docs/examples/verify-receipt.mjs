// Checks a receipt without the service: node verify-receipt.mjs < effect.json
// effect.json is the answer of GET /api/v2/actions/effects/{id}. Exit code 1: the receipt is not what was hashed.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** PostgreSQL's text of a jsonb value: keys by their length in bytes and then by their bytes, `, ` and `: ` between, no exponents. */
export function canonicalText(value) {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(', ')}]`;
  if (typeof value === 'number') return plainDecimal(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.keys(value).map((key) => ({ key, bytes: Buffer.from(key) }));
  members.sort((a, b) => a.bytes.length - b.bytes.length || Buffer.compare(a.bytes, b.bytes));
  return `{${members.map(({ key }) => `${JSON.stringify(key)}: ${canonicalText(value[key])}`).join(', ')}}`;
}

function plainDecimal(number) {
  const [, sign, whole, fraction = '', exponent] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(JSON.stringify(number)) ?? [];
  if (exponent === undefined) return JSON.stringify(number);
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return point >= digits.length
    ? `${sign}${digits}${'0'.repeat(point - digits.length)}`
    : `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

const pick = (record, names) => Object.fromEntries(names.map((name) => [name, record[name]]));

/** What is hashed of a record, by the kind of the entry. */
const CONTENT = {
  evidence: ({ chain: _chain, ...evidence }) => evidence,
  resolution: ({ chain: _chain, ...resolution }) => resolution,
  attempt_started: (attempt) => pick(attempt, ['id', 'number', 'kind', 'secretVersions', 'startedAt']),
  attempt_claimed: (attempt) => pick(attempt, ['id', 'claimedAt']),
  attempt_ended: (attempt) =>
    pick(attempt, ['id', 'status', 'observedOutcome', 'refusal', 'error', 'responseDigest', 'finishedAt']),
  late_answer: ({ id, lateAnswer }) => ({ id, ...lateAnswer }),
};

/** The problems of a receipt; none: it is what was hashed, up to `head`, which may be compared with one that was kept. */
export function checkReceipt(effect) {
  const records = [...effect.evidence, ...effect.attempts, ...(effect.resolution ? [effect.resolution] : [])];
  const entries = records.flatMap((record) => record.chain.map((entry) => ({ ...entry, record })));
  entries.sort((a, b) => a.sequence - b.sequence);
  const problems = entries.flatMap(({ sequence, kind, previousHash, hash, record }, index) => {
    const bytes = [previousHash, effect.environmentId, effect.id, sequence, kind, CONTENT[kind](record)];
    const computed = `sha256:${createHash('sha256').update(canonicalText(bytes)).digest('hex')}`;
    const follows = sequence === index + 1 && previousHash === (entries[index - 1]?.hash ?? null);
    return [
      ...(computed === hash ? [] : [`entry ${sequence}: the ${kind} of ${record.id} is not what was hashed`]),
      ...(follows ? [] : [`entry ${sequence}: it does not follow from the entry before`]),
    ];
  });
  for (const record of records) {
    if (record.chain.length === 0) problems.push(`${record.id} has no entry`);
  }
  const last = entries.at(-1);
  return { problems, head: last ? { sequence: last.sequence, hash: last.hash } : null };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const reply = JSON.parse(readFileSync(0, 'utf8'));
  const { problems, head } = checkReceipt(reply.data ?? reply);
  const whole = `whole, up to ${head?.sequence ?? 0}: ${head?.hash ?? 'no entry'}`;
  process.stdout.write(`${problems.length === 0 ? whole : problems.join('\n')}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
