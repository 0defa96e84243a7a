import { timingSafeEqual } from 'node:crypto';
import type { Database } from '../client.ts';
import { MasterKeysError, type Vault } from './vault.ts';

type KeyDigest = ReturnType<Vault['keyDigests']>[number];

/**
 * Throws MasterKeysError where a master key has another value than the database has recorded for its version, and records the versions that it does
 * not know yet. Call it at the start of a process that seals: nobody could open what it seals under such a key once the value is corrected.
 */
export async function refuseOtherMasterKeys(db: Database, vault: Pick<Vault, 'keyDigests'>): Promise<void> {
  const configured = vault.keyDigests();
  // Before anything is recorded: a process that is refused leaves no value behind.
  const recorded = await readRecorded(db, configured);
  refuseDiffering(configured, recorded);
  const unknown = configured.filter(({ version }) => !recorded.has(version));
  if (unknown.length === 0) return;
  // In one order, so that two processes that start at once do not wait for each other.
  await db.directory.raw(
    'refuse_other_master_keys',
    `INSERT INTO master_key_digests (version, digest)
     SELECT k.version, k.digest FROM unnest(?::integer[], ?::bytea[]) AS k (version, digest) ORDER BY k.version
     ON CONFLICT (version) DO NOTHING`,
    [unknown.map(({ version }) => version), unknown.map(({ digest }) => digest)],
  );
  // The other of the two may have recorded another value first.
  refuseDiffering(configured, await readRecorded(db, configured));
}

async function readRecorded(db: Database, configured: readonly KeyDigest[]): Promise<ReadonlyMap<number, Buffer>> {
  const rows = await db.directory.rows<KeyDigest>(
    'read_recorded',
    'SELECT version, digest FROM master_key_digests WHERE version = ANY (?)',
    [configured.map(({ version }) => version)],
  );
  return new Map(rows.map(({ version, digest }) => [version, digest]));
}

/** The versions of keys that have another value here than is recorded. */
export function differingVersions(
  configured: readonly KeyDigest[],
  recorded: ReadonlyMap<number, Buffer>,
): readonly number[] {
  return configured.flatMap(({ version, digest }) => {
    const known = recorded.get(version);
    return known === undefined || timingSafeEqual(known, digest) ? [] : [version];
  });
}

function refuseDiffering(configured: readonly KeyDigest[], recorded: ReadonlyMap<number, Buffer>): void {
  const differing = differingVersions(configured, recorded);
  if (differing.length === 0) return;
  const versions = differing.join(', ');
  throw new MasterKeysError(
    `master key version ${versions} has another value than the one that this database is used with. Correct the value. If that key is lost, remove its entry and add a new key under the next version that was never used: docs/operations.md, "Master keys".`,
  );
}
