import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../harness/database.ts';
import { plantRows } from '../tenancy/planted-rows.ts';

/**
 * Guards that no other test reaches, because the application has no right or no reason to do what they refuse. These tests run as
 * the superuser.
 */

const database = await createTestDatabase();
const owner = await database.connectOwner();
await plantRows(owner, database.tenant);

/** Expects that the last statement is refused and the earlier ones are not, and rolls everything back. */
async function refusalOf(statements: readonly string[]): Promise<string> {
  await owner.query('BEGIN');
  try {
    for (const statement of statements.slice(0, -1)) {
      expect((await owner.query(statement)).rowCount, statement).toBeGreaterThan(0);
    }
    const last = statements.at(-1) ?? '';
    return await owner.query(last).then(
      ({ rowCount }) => `${last} changed ${rowCount} rows`,
      (error: unknown) => String(error),
    );
  } finally {
    await owner.query('ROLLBACK');
  }
}

/** Puts rows into a state that they reach by several moves only. */
const withoutTriggers = (statement: string): string[] => [
  "SELECT set_config('session_replication_role', 'replica', true)",
  statement,
  "SELECT set_config('session_replication_role', 'origin', true)",
];

describe('a guard of the database refuses', () => {
  test.each([
    ['another dependency', /append-only/, ['UPDATE effect_dependencies SET position = 2']],
    [
      'another version of the secrets of an attempt',
      /append-only/,
      [`UPDATE attempts SET secret_versions = '{"A": 9}'`],
    ],
    [
      'a replay of a settled effect, inside the window of its provider',
      /only an effect whose outcome is unknown is replayed/,
      [
        ...withoutTriggers(
          `UPDATE effects SET stage = 'settled', outcome = 'succeeded', outcome_source = 'provider_response', outcome_at = now(),
             partial_effect = 'none', first_dispatched_at = now(),
             capabilities = capabilities || '{"replay": true, "idempotencyWindowSeconds": 3600}'`,
        ),
        `INSERT INTO attempts (id, environment_id, invocation_id, number, kind)
           SELECT 'att_replay', environment_id, invocation_id, 2, 'replay' FROM effects LIMIT 1`,
      ],
    ],
    ['a change of a crossing', /append-only/, ['UPDATE impact_limit_crossings SET used = 0']],
    ['the end of a crossing', /append-only/, ['DELETE FROM impact_limit_crossings']],
    ['the end of an attempt of a message', /are not deleted/, ['DELETE FROM message_attempts']],
    [
      'a message that begins as delivered',
      /cannot begin as delivered/,
      [
        `INSERT INTO messages SELECT (jsonb_populate_record(m, jsonb_build_object('id', m.id || 'x', 'status', 'delivered',
           'delivered_at', now(), 'failed_at', NULL))).* FROM messages m LIMIT 1`,
      ],
    ],
    ['the end of a message', /is not deleted/, ['DELETE FROM messages']],
    ['the end of the content of a message', /is not deleted/, ['DELETE FROM message_contents']],
    ['another body of a message', /immutable/, [`UPDATE message_contents SET body_kind = 'json', body = '1'`]],
    ['another class of a message', /immutable/, [`UPDATE messages SET retention = 'quarter'`]],
    [
      'another time of the end of a message',
      /has ended/,
      [`UPDATE messages SET status = 'cancelled'`, `UPDATE messages SET updated_at = now() - interval '8 days'`],
    ],
    ['another destination of a message', /immutable/, [`UPDATE messages SET url = 'https://example.com/another'`]],
    [
      'a key that is no longer revoked',
      /cannot be restored/,
      ['UPDATE api_keys SET revoked_at = now()', 'UPDATE api_keys SET revoked_at = NULL'],
    ],
    [
      'a change of an archived policy',
      /is archived and no longer changes/,
      ['UPDATE approval_policies SET archived_at = now()', 'UPDATE approval_policies SET archived_at = NULL'],
    ],
    [
      'a change of an applied plan',
      /was applied and no longer changes/,
      [
        `UPDATE policy_plans SET applied_at = now(), result = '{}'`,
        'UPDATE policy_plans SET applied_at = NULL, result = NULL',
      ],
    ],
  ])('%s', async (_what, refusal, statements) => {
    expect(await refusalOf(statements)).toMatch(refusal);
  });
});
