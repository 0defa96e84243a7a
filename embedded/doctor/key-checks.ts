import { differingVersions } from '../../db/secrets/refuse-other-master-keys.ts';
import { Vault } from '../../db/secrets/vault.ts';
import { type Check, fail, type Finding, ok, skipped } from './check.ts';
import type { Subject } from './subject.ts';
import { largest } from './figures.ts';

const PAGE = 'operations.md#master-keys';
const DAY_SECONDS = 86_400;
const AGE_DAYS_MAX = 365;

interface Recorded {
  version: number;
  digest: Buffer;
}

async function recordedKeys(subject: Subject): Promise<Recorded[]> {
  const session = await subject.postgres();
  return (await session.query<Recorded>('SELECT version, digest FROM master_key_digests ORDER BY version')).rows;
}

/** Compares the keys of a process with what the database has on record of them. */
export function judgeKeys(masterKeys: string, recorded: readonly Recorded[]): Finding {
  const given = Vault.fromMasterKeys(masterKeys).keyDigests();
  const differing = differingVersions(given, new Map(recorded.map(({ version, digest }) => [version, digest])));
  if (differing.length > 0) {
    return fail(
      `Master key version ${differing.join(', ')} has another value than this database is used with`,
      'give MASTER_KEYS the value of the other processes',
    );
  }
  return ok(`MASTER_KEYS has ${given.length} keys, and none contradicts the database.`);
}

/** A key that other processes seal with must be here too. */
export function judgeNewest(masterKeys: string, recorded: readonly Recorded[]): Finding {
  const newest = Math.max(0, ...recorded.map(({ version }) => version));
  const given = Vault.fromMasterKeys(masterKeys).keyDigests();
  return newest > Math.max(...given.map(({ version }) => version))
    ? fail(
        `The database is used with master key version ${newest}, which MASTER_KEYS does not have, so what it seals does not open here`,
        'add that key',
      )
    : ok('MASTER_KEYS has the newest key that the database is used with.');
}

/** The master keys, against what the database has on record. */
export const KEY_CHECKS: readonly Check[] = [
  {
    name: 'master-keys',
    page: PAGE,
    holds: 'MASTER_KEYS has the values that the database is used with',
    needs: ['migrations'],
    run: async (subject) => {
      const { MASTER_KEYS: keys } = subject.settings.values;
      return keys === null ? skipped('MASTER_KEYS cannot be read.') : judgeKeys(keys, await recordedKeys(subject));
    },
  },
  {
    name: 'master-keys-newest',
    page: PAGE,
    holds: 'MASTER_KEYS has the newest key that the database is used with',
    needs: ['master-keys'],
    run: async (subject) => judgeNewest(subject.settings.values.MASTER_KEYS ?? '', await recordedKeys(subject)),
  },
  {
    name: 'master-key-age',
    page: 'runbooks.md#masterkeyold',
    holds: 'The newest master key is younger than a year',
    needs: ['migrations'],
    run: async (subject) => {
      const { value: seconds } = largest(await subject.work(), 'master_key_age_seconds');
      const days = Math.floor(seconds / DAY_SECONDS);
      return days > AGE_DAYS_MAX
        ? fail(`The newest master key is ${days} days old`, 'add a new one, and rewrap the secrets')
        : ok(`The newest master key is ${days} days old.`);
    },
  },
];
