import type { Client } from 'pg';
import type { Tenant } from '../../../db/client.ts';

export type Values = Record<string, unknown>;

/**
 * The export `rows` of `test/db/<area>/planted-rows.ts`: at least one row in each table of the area, and what is special about
 * these tables. The tenancy suite checks every table of the database against it.
 */
export interface PlantedArea {
  /** Makes, as the superuser, the rows that another tenant must never see. */
  plant(owner: Client, tenant: Tenant): Promise<void>;
  /** Tables that identify their tenant by `workspace_id` instead of `environment_id`. */
  ofWorkspace?: readonly string[];
  /** Tables that only the database or a migration writes: the application may insert no row. */
  writtenByDatabase?: readonly string[];
  /** Which rows of a table can be inserted, if a trigger refuses other rows before row-level security does. */
  canBegin?: Readonly<Record<string, string>>;
  /** Tables that no tenant may read or write, or that every tenant may. The value names the test that covers them. */
  heldElsewhere?: Readonly<Record<string, string>>;
  /**
   * Tables to which a worker, or the look-up or revocation of a credential, writes beside a request. The suite over credentials that are revoked does not
   * compare them; it looks for rows that meet this condition, in which `$1` is the id of the credential. Null where no row names its
   * requester.
   */
  writtenBeside?: Readonly<Record<string, string | null>>;
}

export const DIGEST = `sha256:${'0'.repeat(64)}`;
export const CAPABILITIES = {
  idempotent: false,
  idempotencyWindowSeconds: null,
  lookup: 'none',
  replay: false,
  preview: false,
  reversible: false,
};

/** Runs `work` with the triggers of the owner's session off, so that a row can be put into any state. */
export async function withoutTriggers<T>(owner: Client, work: () => Promise<T>): Promise<T> {
  await owner.query("SET session_replication_role = 'replica'");
  try {
    return await work();
  } finally {
    await owner.query("SET session_replication_role = 'origin'");
  }
}

export async function insert(owner: Client, table: string, values: Values): Promise<void> {
  const columns = Object.keys(values);
  const places = columns.map((_column, index) => `$${index + 1}`);
  await owner.query(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places.join(', ')})`,
    Object.values(values),
  );
}
