import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { startSession } from '../../../db/auth/sessions.ts';
import { putChallenge, takeChallenge } from '../../../db/passkeys/challenges.ts';
import { addPasskey, everyPasskey, noteUse, removePasskey } from '../../../db/passkeys/passkeys.ts';
import { countUnusedCodes, makeRecoveryCodes, useRecoveryCode } from '../../../db/passkeys/recovery-codes.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { plantPeople } from '../members/planted-rows.ts';

const database = await createTestDatabase();
let me: string;
let colleague: string;
beforeAll(async () => {
  const owner = await database.connectOwner();
  me = (await plantPeople(owner, database.tenant)).userId;
  colleague = (await plantPeople(owner, database.tenant)).userId;
});

const passkey = () => ({
  name: 'Phone',
  credentialId: randomBytes(32),
  publicKey: randomBytes(77),
  signCount: 7,
  transports: ['internal'],
  isSynced: false,
});
const TABLES = ['passkeys', 'recovery_codes', 'passkey_challenges'] as const;

describe('what a person shows beside a password', () => {
  it('is seen and changed by that person alone', async () => {
    const { id, code } = await database.db.withUser(me, async (tx) => {
      const mine = await addPasskey(tx, passkey());
      const [first = ''] = await makeRecoveryCodes(tx);
      const session = await startSession(tx);
      await putChallenge(tx, { sessionId: session.id, purpose: 'enrol', challenge: 'c' });
      return { id: mine?.id ?? '', code: first };
    });
    await database.db.withUser(colleague, async (tx) => {
      expect([await everyPasskey(tx), await countUnusedCodes(tx)]).toEqual([[], 0]);
      expect([await removePasskey(tx, id), await useRecoveryCode(tx, code)]).toEqual([null, false]);
      expect(await noteUse(tx, { id, signCount: 99 })).toBe(false);
    });
    await database.db.withEnvironment(database.tenant, async (tx) => {
      for (const table of TABLES) {
        expect(await tx.rows(null, `SELECT 1 FROM ${table}`, [])).toEqual([]);
      }
    });
    const counts = TABLES.map((table) => `(SELECT count(*)::int FROM ${table} WHERE user_id = $1)`);
    expect(await database.asOwner(`SELECT ARRAY[${counts.join(', ')}] AS rows`, [me])).toEqual([{ rows: [1, 10, 1] }]);
  });

  it('counts uses upwards, once for each of two at the same time', async () => {
    const { id = '' } = (await database.db.withUser(me, (tx) => addPasskey(tx, passkey()))) ?? {};
    const use = (signCount: number) => database.db.withUser(me, (tx) => noteUse(tx, { id, signCount }));
    expect([await use(7), await use(6), await use(0)]).toEqual([false, false, false]);
    expect((await Promise.all([use(8), use(8), use(8)])).filter(Boolean)).toHaveLength(1);
  });

  it('gives a challenge and a recovery code to one of two who want it at the same time', async () => {
    const sessionId = await database.db.withUser(me, async (tx) => {
      const { id } = await startSession(tx);
      await putChallenge(tx, { sessionId: id, purpose: 'authenticate', challenge: 'c' });
      return id;
    });
    const [code = ''] = await database.db.withUser(me, makeRecoveryCodes);
    const take = () => database.db.withUser(me, (tx) => takeChallenge(tx, sessionId, 'authenticate'));
    const use = () => database.db.withUser(me, (tx) => useRecoveryCode(tx, code));
    expect((await Promise.all([take(), take(), take()])).filter((taken) => taken === 'c')).toHaveLength(1);
    expect((await Promise.all([use(), use(), use()])).filter(Boolean)).toHaveLength(1);
  });
});
