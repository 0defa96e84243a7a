import { describe, expect, it } from 'vitest';
import { recordAudit } from '../../db/audit/record-audit.ts';
import { ENTRIES_AT_ONCE } from '../../db/audit/verify-chains.ts';
import { appendEvidence } from '../../db/effects/evidence.ts';
import { plantNewEffect } from '../db/effects/planted-rows.ts';
import { withoutTriggers } from '../db/harness/plant.ts';
import { createTestDatabase } from '../harness/database.ts';
import { Program } from '../harness/embedded-stack.ts';

/** `npm run audit:verify` over every workspace of an installation. */

const database = await createTestDatabase();
const owner = await database.connectOwner();
const { workspaceId } = database.tenant;
for (const id of ['1', '2', '3']) {
  await database.db.withWorkspace(workspaceId, (tx) =>
    recordAudit(tx, {
      workspaceId,
      actor: { type: 'system', id: null },
      action: 'secret.rotated',
      target: { type: 'thing', id },
    }),
  );
}
const { production } = await database.anotherWorkspace();
const { effectId } = await plantNewEffect(owner, production);
const evidenceId = await database.db.withEnvironment(production, (tx) =>
  appendEvidence(tx, {
    effectId,
    source: 'operator_note',
    observedAt: new Date(),
    impliedOutcome: null,
    summary: 'looked into it',
    actor: { type: 'user', id: 'usr_1' },
  }),
);
async function verify(...args: string[]): Promise<{ code: number | null; output: string }> {
  const program = new Program(['embedded/run.mjs', 'embedded/commands/verify-audit.js', ...args], {
    DATABASE_URL: database.applicationUrl,
  });
  return { code: await program.exited, output: program.output };
}

describe('audit:verify', () => {
  it('finds what is whole whole, and what was tampered with by its place, with exit code 1', async () => {
    const whole = await verify('--effects');
    expect(whole.output).toMatch(/Whole: \d+ audit entries of 2 workspaces, 1 effects\./);
    expect(whole.code).toBe(0);

    await withoutTriggers(owner, async () => {
      await owner.query(`UPDATE audit_log SET target_id = 'another' WHERE workspace_id = $1 AND target_id = '2'`, [
        database.tenant.workspaceId,
      ]);
      await owner.query(`UPDATE evidence SET summary = 'another story' WHERE id = $1`, [evidenceId]);
    });
    const audit = await verify();
    expect(audit.code).toBe(1);
    expect(audit.output).toMatch(new RegExp(`workspace ${database.tenant.workspaceId}, entry \\d+: content`));
    expect(audit.output).not.toContain('effect');
    const both = await verify('--effects');
    expect(both.code).toBe(1);
    expect(both.output).toContain(`effect ${effectId}, entry 1, evidence, ${evidenceId}: content`);
    expect(both.output).toMatch(new RegExp(`workspace ${database.tenant.workspaceId}, entry \\d+: content`));
  });

  it('names an entry behind the first page of a long log', async () => {
    const { workspaceId } = (await database.anotherWorkspace()).development;
    const entries = ENTRIES_AT_ONCE + 100;
    await owner.query(
      `INSERT INTO audit_log (id, workspace_id, actor_type, action, target_type, target_id)
       SELECT 'aud_long_' || n, $1, 'system', 'secret.rotated', 'thing', n::text FROM generate_series(1, $2::int) n`,
      [workspaceId, entries],
    );
    await withoutTriggers(owner, () =>
      owner.query(`UPDATE audit_log SET target_id = 'another' WHERE workspace_id = $1 AND sequence = $2`, [
        workspaceId,
        entries - 50,
      ]),
    );
    const { code, output } = await verify();
    expect(code).toBe(1);
    expect(output.split('\n').filter((line) => line.includes(workspaceId))).toEqual([
      expect.stringContaining(`workspace ${workspaceId}, entry ${entries - 50}: content`),
    ]);
  });
});
