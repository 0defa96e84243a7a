import * as fc from 'fast-check';
import { Client } from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import type { Tenant } from '../../../db/client.ts';
import { findOpenTransactions, findStillOpen, findUnclosedMonths } from '../../../db/billing/directory.ts';
import { consumeAllowance, countEgress, giveBackAllowance } from '../../../db/plans/allowances.ts';
import { setPlan } from '../../../db/plans/plans.ts';
import { monthOf, periodOf } from '../../../domain/billing/periods.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { clockedDatabase, closeMonth, PlantedInvocations, setClock } from './months.ts';

const MONTHS = ['2024-01', '2024-02', '2024-03'] as const;
const START = periodOf(MONTHS[0]).start;
const END = periodOf(MONTHS[2]).end;
const MADE = new Date('2023-12-15T12:00:00.000Z');

const database = await createTestDatabase();
const db = await clockedDatabase(database);
const invocations = await PlantedInvocations.open(database);
afterAll(async () => {
  await invocations?.close();
  await db?.close();
});

/** A workspace that was made before the months of the tests, on a plan that charges. */
async function workspaceOf(plan: string, madeAt = MADE): Promise<{ development: Tenant; production: Tenant }> {
  const tenants = await database.anotherWorkspace();
  const { workspaceId } = tenants.development;
  await database.asOwner('UPDATE workspaces SET plan = $2, created_at = $3 WHERE id = $1', [workspaceId, plan, madeAt]);
  return tenants;
}

/** Takes an execution of the month. False where none is left. */
async function takeExecution(tenant: Tenant, at: Date): Promise<boolean> {
  const taken = db.withEnvironment(tenant, async (tx) => {
    await setClock(tx, at);
    await consumeAllowance(tx, 'executions', 1);
    return true;
  });
  return taken.catch(() => false);
}

async function admit(tenant: Tenant, at: Date): Promise<string | null> {
  return (await takeExecution(tenant, at)) ? invocations.admit(tenant, at) : null;
}

interface Snapshot {
  month: string;
  quantities: {
    executions: { admittedIn: string; succeeded: number }[];
    reversals: { admittedIn: string; reversed: number }[];
  };
}
const snapshotsOf = (workspaceId: string) =>
  database.asOwner<Snapshot>(
    `SELECT to_char(month, 'YYYY-MM') AS month, quantities FROM billing_months WHERE workspace_id = $1 ORDER BY month`,
    [workspaceId],
  );
const invoicesOf = (workspaceId: string) =>
  database.asOwner<{
    id: string;
    month: string;
    number: number;
    status: string;
    total: string;
    lines: string;
    digest: string;
  }>(
    `SELECT i.id, to_char(i.month, 'YYYY-MM') AS month, i.number, i.status, i.total, i.digest,
       (SELECT sum(l.amount) FROM invoice_lines l WHERE l.invoice_id = i.id) AS lines FROM invoices i WHERE workspace_id = $1 ORDER BY month`,
    [workspaceId],
  );
const driftOf = (workspaceId: string) =>
  database.asOwner(`SELECT * FROM find_usage_drift('2024-01-01') WHERE workspace_id = $1`, [workspaceId]);

type Step =
  | { do: 'admit' | 'operate' | 'egress'; in: 'development' | 'production' }
  | { do: 'withdraw' | 'succeed' | 'lose' | 'reverse'; which: number }
  | { do: 'change plan'; to: 'free' | 'production' | 'growth' };

const where = fc.constantFrom('development' as const, 'production' as const);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('admit' as const), in: where }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('operate' as const, 'egress' as const), in: where }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'withdraw' as const,
        'succeed' as const,
        'succeed' as const,
        'lose' as const,
        'reverse' as const,
      ),
      which: fc.nat({ max: 40 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('change plan' as const),
      to: fc.constantFrom('free' as const, 'production' as const, 'growth' as const),
    }),
  },
);
/** Steps at instants of three months, in their order; some at the first and at the last millisecond of a month. */
const history = fc
  .array(
    fc.record({
      step,
      at: fc.oneof(
        { weight: 5, arbitrary: fc.integer({ min: START.getTime(), max: END.getTime() - 1 }) },
        {
          weight: 1,
          arbitrary: fc.constantFrom(
            ...MONTHS.flatMap((month) => [periodOf(month).start.getTime(), periodOf(month).end.getTime() - 1]),
          ),
        },
      ),
    }),
    { minLength: 4, maxLength: 40 },
  )
  .map((steps) => steps.toSorted((a, b) => a.at - b.at).map((one) => ({ step: one.step, at: new Date(one.at) })));

/** What the test itself keeps of an invocation. */
interface Known {
  id: string;
  tenant: Tenant;
  admittedAt: Date;
  status: 'dispatching' | 'unknown' | 'succeeded' | 'failed';
}

class Life {
  readonly known: Known[] = [];
  readonly workspace: { development: Tenant; production: Tenant };

  constructor(workspace: { development: Tenant; production: Tenant }) {
    this.workspace = workspace;
  }

  async take(one: Step, at: Date): Promise<void> {
    if (one.do === 'change plan') {
      const { workspaceId } = this.workspace.development;
      await db.withWorkspace(workspaceId, (tx) => setPlan(tx, one.to, at));
      return;
    }
    if ('in' in one) return this.use(one.do, this.workspace[one.in], at);
    const chosen = this.known[one.which % Math.max(1, this.known.length)];
    if (chosen !== undefined) await this.move(one.do, chosen, at);
  }

  private async use(what: 'admit' | 'operate' | 'egress', tenant: Tenant, at: Date): Promise<void> {
    if (what === 'admit') {
      const id = await admit(tenant, at);
      if (id !== null) this.known.push({ id, tenant, admittedAt: at, status: 'dispatching' });
      return;
    }
    await db.withEnvironment(tenant, async (tx) => {
      await setClock(tx, at);
      await (what === 'egress' ? countEgress(tx, 7) : consumeAllowance(tx, 'memory_processing', 1));
    });
  }

  private async move(what: 'withdraw' | 'succeed' | 'lose' | 'reverse', chosen: Known, at: Date): Promise<void> {
    const { status } = chosen;
    if (what === 'withdraw' && status === 'dispatching') {
      await invocations.withdraw(chosen.id);
      await db.withEnvironment(chosen.tenant, (tx) => giveBackAllowance(tx, 'executions', 1, chosen.admittedAt));
      this.known.splice(this.known.indexOf(chosen), 1);
    } else if (what === 'succeed' && (status === 'dispatching' || status === 'unknown')) {
      await invocations.succeed(chosen.id, at);
      chosen.status = 'succeeded';
    } else if (what === 'lose' && status === 'dispatching') {
      await invocations.lose(chosen.id, at);
      chosen.status = 'unknown';
    } else if (what === 'reverse' && status === 'succeeded') {
      await invocations.reverse(chosen.id, at);
      chosen.status = 'failed';
    }
  }
}

describe('months that are closed as they pass', () => {
  it('agree with the recount, whatever happens in them; a closed month stays as it is', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        const life = new Life(await workspaceOf('production'));
        const { workspaceId } = life.workspace.development;
        let before: unknown[] = [];
        const rest = [...steps];
        for (const month of MONTHS) {
          const { end } = periodOf(month);
          while (rest[0] !== undefined && rest[0].at < end) {
            const next = rest.shift();
            if (next !== undefined) await life.take(next.step, next.at);
          }
          await closeMonth(db, workspaceId, month);
          const snapshots = await snapshotsOf(workspaceId);
          expect(snapshots.slice(0, -1)).toEqual(before);
          before = snapshots;
        }
        const invoices = await invoicesOf(workspaceId);
        for (const { total, lines, status } of invoices) expect([total, status]).toEqual([lines, 'open']);
        expect(invoices.map(({ number }) => number)).toEqual(invoices.map((_, index) => index + 1));
        expect(await driftOf(workspaceId)).toEqual([]);
        const billed = (await snapshotsOf(workspaceId)).flatMap(({ quantities }) => [
          ...quantities.executions.map(({ succeeded }) => succeeded),
          ...quantities.reversals.map(({ reversed }) => -reversed),
        ]);
        const succeeded = life.known.filter(({ status }) => status === 'succeeded').length;
        expect(billed.reduce((sum, count) => sum + count, 0)).toBe(succeeded);
      }),
      { numRuns: 15 },
    );
  });

  it('bill on the month of the resolution what settles late, with the month of its admission, and take back what is reversed', async () => {
    const { production } = await workspaceOf('growth');
    const { workspaceId } = production;
    const [inTime, late, reversed] = [
      await invocations.admit(production, new Date('2024-01-31T23:59:59.999Z')),
      await invocations.admit(production, new Date('2024-01-20T00:00:00.000Z')),
      await invocations.admit(production, new Date('2024-01-21T00:00:00.000Z')),
    ];
    await invocations.succeed(inTime, new Date('2024-01-31T23:59:59.999Z'));
    await invocations.succeed(reversed, new Date('2024-01-22T00:00:00.000Z'));
    await invocations.lose(late, new Date('2024-01-20T00:00:01.000Z'));
    await closeMonth(db, workspaceId, '2024-01');
    const [january] = await invoicesOf(workspaceId);

    await invocations.succeed(late, new Date('2024-02-01T00:00:00.000Z'));
    await invocations.reverse(reversed, new Date('2024-02-29T23:59:59.999Z'));
    await closeMonth(db, workspaceId, '2024-02');
    const snapshots = await snapshotsOf(workspaceId);
    expect(
      snapshots.map(({ quantities }) => quantities.executions.map((one) => [one.admittedIn, one.succeeded])),
    ).toEqual([
      [['2024-01', 2]],
      [
        ['2024-02', 0],
        ['2024-01', 1],
      ],
    ]);
    expect(snapshots[1]?.quantities.reversals).toMatchObject([
      { admittedIn: '2024-01', billedBefore: 3, reversed: 1, corrects: { invoiceId: january?.id } },
    ]);
    const lines = await database.asOwner<{ line: { type: string; period: { start: string }; corrects: unknown } }>(
      `SELECT l.line FROM invoice_lines l JOIN invoices i ON i.id = l.invoice_id
       WHERE i.workspace_id = $1 AND i.month = '2024-02-01' AND l.line ->> 'meter' = 'executions' ORDER BY l.position`,
      [workspaceId],
    );
    expect(lines.map(({ line }) => [line.type, line.period.start, line.corrects !== null])).toEqual([
      ['usage', '2024-02-01T00:00:00.000Z', false],
      ['usage', '2024-01-01T00:00:00.000Z', false],
      ['correction', '2024-01-01T00:00:00.000Z', true],
    ]);
    expect((await invoicesOf(workspaceId))[0]).toEqual(january);
  });

  it('make one invoice when they are closed twice, one after the other and at once', async () => {
    const { production } = await workspaceOf('growth');
    const { workspaceId } = production;
    const first = await closeMonth(db, workspaceId, '2024-01');
    const once = await invoicesOf(workspaceId);
    expect([await closeMonth(db, workspaceId, '2024-01'), await closeMonth(db, workspaceId, '2024-01')]).toEqual([
      first,
      first,
    ]);
    expect(await invoicesOf(workspaceId)).toEqual(once);
    await Promise.allSettled([1, 2, 3, 4].map(() => closeMonth(db, workspaceId, '2024-02')));
    await closeMonth(db, workspaceId, '2024-02');
    expect((await invoicesOf(workspaceId)).map(({ month, number, status }) => [month, number, status])).toEqual([
      ['2024-01', 1, 'open'],
      ['2024-02', 2, 'open'],
    ]);
  });

  it('make no invoice where nothing is charged, and are closed all the same', async () => {
    const { production } = await workspaceOf('free');
    expect(await closeMonth(db, production.workspaceId, '2024-01')).toBeNull();
    expect(await invoicesOf(production.workspaceId)).toEqual([]);
    const [row] = await database.asOwner<{ closed_at: Date | null }>(
      'SELECT closed_at FROM billing_months WHERE workspace_id = $1',
      [production.workspaceId],
    );
    expect(row?.closed_at).not.toBeNull();
  });
});

describe('the database', () => {
  it('refuses every change of an invoice that was issued, and of a snapshot', async () => {
    const { production } = await workspaceOf('growth');
    await closeMonth(db, production.workspaceId, '2024-01');
    const [invoice] = await invoicesOf(production.workspaceId);
    const of = (sql: string) => database.asOwner(sql, [invoice?.id]);
    const line = `INSERT INTO invoice_lines (id, invoice_id, workspace_id, position, amount, line)
      SELECT 'ivl_1', id, workspace_id, 99, 1, '{"amount": 1}' FROM invoices WHERE id = $1`;
    for (const [sql, message] of [
      [
        'UPDATE invoices SET total = total + 1, subtotal = subtotal + 1 WHERE id = $1',
        'was issued and does not change',
      ],
      ['UPDATE invoices SET number = 7 WHERE id = $1', 'was issued and does not change'],
      [
        `UPDATE invoices SET status = 'draft', number = NULL, issued_at = NULL, due_at = NULL WHERE id = $1`,
        'does not change',
      ],
      ['DELETE FROM invoices WHERE id = $1', 'is never deleted'],
      ['UPDATE invoice_lines SET amount = 0 WHERE invoice_id = $1', 'append-only'],
      ['DELETE FROM invoice_lines WHERE invoice_id = $1', 'append-only'],
      [line, 'takes no more lines'],
      [
        `UPDATE billing_months SET quantities = '{}' WHERE workspace_id = (SELECT workspace_id FROM invoices WHERE id = $1)`,
        'append-only',
      ],
      [
        `UPDATE billing_months SET closed_at = NULL WHERE workspace_id = (SELECT workspace_id FROM invoices WHERE id = $1)`,
        'append-only',
      ],
    ] as const)
      await expect(of(sql), sql).rejects.toThrow(message);
    await of(`UPDATE invoices SET status = 'paid', paid_at = now() WHERE id = $1`);
    await expect(of(`UPDATE invoices SET status = 'open', paid_at = NULL WHERE id = $1`)).rejects.toThrow(
      'cannot move from paid to open',
    );
  });

  it('opens no invoice that is not the sum of its lines', async () => {
    const { production } = await workspaceOf('growth');
    await database.asOwner(
      `INSERT INTO billing_months (workspace_id, month, plan, quantities) VALUES ($1, '2024-01-01', 'growth', '{}')`,
      [production.workspaceId],
    );
    await database.asOwner(
      `INSERT INTO invoices (id, workspace_id, month, currency, subtotal, tax, total, digest) VALUES ('ivc_sum', $1, '2024-01-01', 'usd', 5, 0, 5, '')`,
      [production.workspaceId],
    );
    const open = `UPDATE invoices SET status = 'open', number = 1, issued_at = now(), due_at = now() WHERE id = 'ivc_sum'`;
    await expect(database.asOwner(open)).rejects.toThrow('is not the sum of its lines');
  });

  it('admits what the month has left at its last millisecond, and the whole of the next at its first', async () => {
    const { production } = await workspaceOf('free');
    await database.asOwner(
      `INSERT INTO monthly_usage (workspace_id, month, allowance, shard, used) VALUES ($1, '2024-01-01', 'executions', 0, 998)`,
      [production.workspaceId],
    );
    const [last, first] = [new Date('2024-01-31T23:59:59.999Z'), new Date('2024-02-01T00:00:00.000Z')];
    await Promise.all(
      Array.from({ length: 16 }, (_, index) => takeExecution(production, index % 2 === 0 ? last : first)),
    );
    const used = await database.asOwner(
      `SELECT month::text, sum(used)::int AS used FROM monthly_usage WHERE workspace_id = $1 GROUP BY 1 ORDER BY 1`,
      [production.workspaceId],
    );
    expect(used).toEqual([
      { month: '2024-01-01', used: 1_000 },
      { month: '2024-02-01', used: 8 },
    ]);
    const days = await database.asOwner(
      `SELECT day::text, sum(used)::int AS used FROM daily_usage WHERE workspace_id = $1 GROUP BY 1 ORDER BY 1`,
      [production.workspaceId],
    );
    expect(days).toEqual([
      { day: '2024-01-31', used: 2 },
      { day: '2024-02-01', used: 8 },
    ]);
  });

  it('names each count that does not hold', async () => {
    const { production } = await workspaceOf('enterprise');
    const { workspaceId, environmentId } = production;
    await admit(production, new Date('2024-02-29T10:00:00.000Z'));
    expect(await driftOf(workspaceId)).toEqual([]);
    await database.asOwner('UPDATE daily_usage SET used = used + 1 WHERE environment_id = $1', [environmentId]);
    expect(await driftOf(workspaceId)).toMatchObject([
      { rule: 'days_sum_to_month', kept: '1', recounted: '2', allowance: 'executions' },
      { rule: 'executions', kept: '2', recounted: '1', environment_id: environmentId },
    ]);
  });
});

describe('what the closing waits for', () => {
  it('is every transaction that was open when the month had ended', async () => {
    expect(await findOpenTransactions(db, monthOf(periodOf(monthOf(new Date())).end))).toBeNull();
    const client = new Client({ connectionString: database.applicationUrl });
    await client.connect();
    await client.query('BEGIN');
    const open = (await findOpenTransactions(db, '2024-01')) ?? [];
    const { rows } = await client.query<{ id: string }>(
      `SELECT virtualtransaction AS id FROM pg_locks WHERE locktype = 'virtualxid' AND pid = pg_backend_pid()`,
    );
    const own = rows[0]?.id ?? '';
    expect(open).toContain(own);
    expect(await findStillOpen(db, [own])).toEqual([own]);
    await client.query('COMMIT');
    await client.query('BEGIN');
    expect(await findStillOpen(db, [own])).toEqual([]);
    await client.end();
  });

  it('is the oldest month of a workspace that was not closed, from five minutes after its end on', async () => {
    const { production } = await workspaceOf('growth', new Date('2024-01-15T00:00:00.000Z'));
    const { workspaceId } = production;
    const unclosed = async () =>
      (await findUnclosedMonths(db, { afterId: '', limit: 1_000 })).find((ref) => ref.workspaceId === workspaceId)
        ?.month;
    expect(await unclosed()).toBe('2024-01');
    await closeMonth(db, workspaceId, '2024-01');
    expect(await unclosed()).toBe('2024-02');
    await database.asOwner('UPDATE workspaces SET created_at = now() WHERE id = $1', [
      (await workspaceOf('growth')).production.workspaceId,
    ]);
    const made = await database.anotherWorkspace();
    const all = await findUnclosedMonths(db, { afterId: '', limit: 1_000 });
    expect(all.map((ref) => ref.workspaceId)).not.toContain(made.production.workspaceId);
  });
});
