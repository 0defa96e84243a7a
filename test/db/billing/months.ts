import { Client } from 'pg';
import { draftInvoice, finishMonth, openInvoice, snapshotMonth } from '../../../db/billing/invoices.ts';
import { Database, type Tenant, type WorkspaceTransaction } from '../../../db/client.ts';
import { newId } from '../../../domain/ids.ts';
import type { TestDatabase } from '../../harness/database.ts';
import { PRICES } from '../../domain/billing/prices.ts';
import { insert, withoutTriggers } from '../harness/plant.ts';

/**
 * A second pool on the database of a test, whose transactions have a clock of their own: `now()` of a statement is what `at` says. Functions with
 * a fixed search path, and defaults of columns, keep PostgreSQL's clock.
 */
export async function clockedDatabase({ asOwner, applicationUrl }: TestDatabase): Promise<Database> {
  await asOwner(`
    CREATE SCHEMA clock;
    GRANT USAGE ON SCHEMA clock TO PUBLIC;
    CREATE FUNCTION clock.now() RETURNS timestamptz LANGUAGE sql STABLE
      RETURN COALESCE(NULLIF(current_setting('clock.at', true), '')::timestamptz, pg_catalog.now())`);
  const url = new URL(applicationUrl);
  url.searchParams.set('options', '-c search_path=clock,pg_catalog,public');
  return new Database({ url: url.href, applicationName: 'test', poolMax: 10 });
}

/** Sets the clock of this transaction. Its first statement. */
export async function setClock(tx: Pick<WorkspaceTransaction, 'raw'>, at: Date): Promise<void> {
  await tx.raw(null, "SELECT set_config('clock.at', ?, true)", [at.toISOString()]);
}

/** What one step of the closing does, each in a transaction of its own, as the activities do. */
export async function closeMonth(db: Database, workspaceId: string, month: string): Promise<string | null> {
  const work = <T>(step: (tx: WorkspaceTransaction) => Promise<T>): Promise<T> => db.withWorkspace(workspaceId, step);
  await work((tx) => snapshotMonth(tx, month));
  const invoice = await work((tx) => draftInvoice(tx, month, PRICES));
  if (invoice !== null) await work((tx) => openInvoice(tx, invoice.invoiceId));
  await work((tx) => finishMonth(tx, month));
  return invoice?.invoiceId ?? null;
}

/** Invocations without the work that they are of: rows that move as the service moves them. */
export class PlantedInvocations {
  private readonly owner: Client;

  private constructor(owner: Client) {
    this.owner = owner;
  }

  static async open({ ownerUrl }: Pick<TestDatabase, 'ownerUrl'>): Promise<PlantedInvocations> {
    const owner = new Client({ connectionString: ownerUrl });
    await owner.connect();
    return new PlantedInvocations(owner);
  }

  close(): Promise<void> {
    return this.owner.end();
  }

  async admit({ environmentId }: Tenant, at: Date): Promise<string> {
    const id = newId('invocation');
    await withoutTriggers(this.owner, () =>
      insert(this.owner, 'invocations', {
        id,
        environment_id: environmentId,
        action_id: newId('action'),
        version_id: newId('actionVersion'),
        operation_key: id,
        request_digest: 'sha256:0',
        input: '{}',
        requested_by: '{}',
        status: 'dispatching',
        created_at: at,
        updated_at: at,
      }),
    );
    return id;
  }

  async withdraw(id: string): Promise<void> {
    await withoutTriggers(this.owner, () => this.owner.query('DELETE FROM invocations WHERE id = $1', [id]));
  }

  async succeed(id: string, at: Date): Promise<void> {
    await this.owner.query(
      `UPDATE invocations SET status = 'succeeded', outcome_source = 'provider_response', refusal_code = NULL, refusal_details = NULL,
         settled_at = $2, updated_at = $2 WHERE id = $1`,
      [id, at],
    );
  }

  async lose(id: string, at: Date): Promise<void> {
    await this.owner.query(
      `UPDATE invocations SET status = 'unknown', refusal_code = 'lost', refusal_details = '{}', updated_at = $2 WHERE id = $1`,
      [id, at],
    );
  }

  async reverse(id: string, at: Date): Promise<void> {
    await this.owner.query(
      `UPDATE invocations SET status = 'failed', outcome_source = 'provider_lookup', refusal_code = 'reversed_by_provider', refusal_details = '{}',
         updated_at = $2 WHERE id = $1`,
      [id, at],
    );
  }
}
