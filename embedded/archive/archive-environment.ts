import { existsSync } from 'node:fs';
import {
  archiveInvocations,
  type Candidate,
  countPresent,
  listCandidates,
  readRecords,
} from '../../db/archive/archiving.ts';
import type { Database, EnvironmentTransaction, Tenant } from '../../db/client.ts';
import { verifyReceipts } from '../../db/effects/verify-receipts.ts';
import { codeOf } from '../../domain/failures.ts';
import { dataPath, listArchives, nextName, removeArchive, removeTemporary, writeData, writeManifest } from './files.ts';
import { BrokenArchiveError, manifestBeside, readManifestOf, verifyArchive } from './read-archive.ts';

/** The number of invocations in a file, and in the transaction that deletes them. */
export const ARCHIVE_BATCH = 1_000;
/** The number of records that are read at once: a record may have megabytes. */
const RECORDS_AT_ONCE = 50;
/** The number of effects whose receipts one statement checks. */
const EFFECTS_AT_ONCE = 200;
/** The SQLSTATEs of what the database refuses to archive: a check, and a foreign key. */
const REFUSED = new Set(['23514', '23503']);

/** What was done, in the order in which it is done. A test ends the command behind each. */
export type Step = 'written' | 'manifested' | 'verified' | 'archived';

export interface Archiving {
  /** The login that owns the tables. */
  owner: Database;
  folder: string;
  /** Archives what ended before this time. */
  before: Date;
  dryRun: boolean;
  /** How many invocations are in a file; less in tests only. */
  batch?: number;
  after?: (step: Step) => void;
}

export interface Archived {
  archived: number;
  files: number;
  /** How many stay, by the reason. */
  staying: Record<string, number>;
  /** Files of earlier commands whose invocations are in the database and cannot go with them. */
  leftovers: string[];
}

/**
 * Archives one environment: newest invocations first, so that what refers to others leaves before them. For each file:
 *
 * | Killed after                   | What is where                       | The next run                                     |
 * | ------------------------------ | ----------------------------------- | ------------------------------------------------ |
 * | a part of the file was written | database; a temporary file          | removes the temporary file                       |
 * | the file has its name          | database and file                   | makes its manifest, verifies it, and deletes     |
 * | its manifest has its name      | database and file                   | verifies it, and deletes                         |
 * | the file was verified          | database and file                   | the same                                         |
 * | the commit                     | file, and the keys in the database  | goes on behind it                                |
 *
 * So a record is at no time in neither. What is deleted was read back from the disk, and PostgreSQL compares the digest of each line with its
 * record in the transaction that deletes it.
 */
export async function archiveEnvironment(archiving: Archiving, tenant: Tenant): Promise<Archived> {
  const done: Archived = { archived: 0, files: 0, staying: {}, leftovers: [] };
  if (!archiving.dryRun) await finishEarlier(archiving, tenant, done);
  const leaving = new Set<string>();
  let behind: Candidate | null = null;
  for (;;) {
    const page = await inEnvironment(archiving, tenant, (tx) => judged(tx, archiving, behind, leaving));
    for (const { refusal } of page) if (refusal !== null) done.staying[refusal] = (done.staying[refusal] ?? 0) + 1;
    const going = page.filter(({ refusal }) => refusal === null);
    for (const [month, ids] of byMonth(going)) {
      const refusal = archiving.dryRun ? null : await archiveFile(archiving, tenant, month, ids);
      if (refusal !== null) {
        done.staying[refusal] = (done.staying[refusal] ?? 0) + ids.length;
        continue;
      }
      done.archived += ids.length;
      done.files++;
    }
    behind = page.at(-1) ?? null;
    if (behind === null) return done;
  }
}

/** One page of candidates; the refusal of each says why it stays. `leaving` has those that have left, or leave with this page. */
async function judged(
  tx: EnvironmentTransaction,
  { before, batch = ARCHIVE_BATCH, dryRun }: Archiving,
  behind: Candidate | null,
  leaving: Set<string>,
): Promise<Candidate[]> {
  const page = await listCandidates(tx, { before, behind, most: batch });
  const broken = await brokenReceipts(
    tx,
    page.flatMap(({ effectId, refusal }) => (effectId === null || refusal !== null ? [] : [effectId])),
  );
  // What has left is not among the referrers any more; a dry run remembers it instead.
  if (!dryRun) leaving.clear();
  return page.map((candidate) => {
    const refusal =
      candidate.refusal ??
      (candidate.effectId !== null && broken.has(candidate.effectId) ? 'receipt_broken' : null) ??
      (candidate.referrers.every((id) => leaving.has(id)) ? null : 'referred_to');
    if (refusal === null) leaving.add(candidate.id);
    return { ...candidate, refusal };
  });
}

async function brokenReceipts(tx: EnvironmentTransaction, effectIds: readonly string[]): Promise<Set<string>> {
  const broken = new Set<string>();
  for (let at = 0; at < effectIds.length; at += EFFECTS_AT_ONCE) {
    const states = await verifyReceipts(tx, effectIds.slice(at, at + EFFECTS_AT_ONCE));
    for (const { effectId, brokenAt } of states) if (brokenAt !== null) broken.add(effectId);
  }
  return broken;
}

function byMonth(candidates: readonly Candidate[]): Map<string, string[]> {
  const months = new Map<string, string[]>();
  for (const { month, id } of candidates) months.set(month, [...(months.get(month) ?? []), id]);
  return months;
}

/**
 * Returns why all of the file stay, and the next command looks at them again: one of them has changed meanwhile, or the disk gives back
 * something else than was written. Null where they left.
 */
async function archiveFile(
  archiving: Archiving,
  tenant: Tenant,
  month: string,
  ids: readonly string[],
): Promise<'changed' | 'file_not_verified' | null> {
  const { folder, after = () => undefined } = archiving;
  const archive = await nextName(folder, tenant.environmentId, month);
  await writeData(folder, archive, linesOf(archiving, tenant, ids));
  after('written');
  try {
    await finish(archiving, tenant, archive);
    return null;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    await removeArchive(folder, archive);
    return error instanceof BrokenArchiveError ? 'file_not_verified' : 'changed';
  }
}

async function* linesOf(archiving: Archiving, tenant: Tenant, ids: readonly string[]): AsyncGenerator<string> {
  for (let at = 0; at < ids.length; at += RECORDS_AT_ONCE) {
    const part = ids.slice(at, at + RECORDS_AT_ONCE);
    const records = await inEnvironment(archiving, tenant, (tx) => readRecords(tx, part));
    for (const { line } of records) yield line;
  }
}

/** From a file that has its name to the deletion of its records. */
async function finish(archiving: Archiving, tenant: Tenant, archive: string): Promise<void> {
  const { folder, after = () => undefined } = archiving;
  if ((await manifestBeside(folder, archive)) === null) {
    await writeManifest(folder, await readManifestOf(folder, archive));
  }
  after('manifested');
  const { invocations } = await verifyArchive(folder, archive);
  after('verified');
  await inEnvironment(archiving, tenant, (tx) => archiveInvocations(tx, archive, invocations));
  after('archived');
}

/** Finishes the files of earlier commands that were killed. A file whose records have left already is left alone. */
async function finishEarlier(archiving: Archiving, tenant: Tenant, done: Archived): Promise<void> {
  const { folder } = archiving;
  await removeTemporary(folder, tenant.environmentId);
  for (const archive of await listArchives(folder, tenant.environmentId)) {
    if (!existsSync(dataPath(folder, archive))) continue;
    const said = (await manifestBeside(folder, archive)) ?? (await readManifestOf(folder, archive));
    const ids = said.invocations.map(({ id }) => id);
    if ((await inEnvironment(archiving, tenant, (tx) => countPresent(tx, ids))) === 0) continue;
    try {
      await finish(archiving, tenant, archive);
      done.archived += ids.length;
      done.files++;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      done.leftovers.push(archive);
    }
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof BrokenArchiveError || (error instanceof Error && REFUSED.has(codeOf(error) ?? ''));
}

function inEnvironment<T>(
  { owner }: Archiving,
  tenant: Tenant,
  work: (tx: EnvironmentTransaction) => Promise<T>,
): Promise<T> {
  return owner.withEnvironment(tenant, work);
}
