import type { Client } from 'pg';
import type { Tenant } from '../../../db/client.ts';

export type Values = Record<string, unknown>;

/**
 * The export `rows` of `test/db/<area>/planted-rows.ts`: one row at least in each table of the area, and what is special about
 * these tables. The tenancy suite holds every table of the database to it.
 */
export interface PlantedArea {
  /** Makes the rows as the superuser: what another tenant must never see. */
  plant(owner: Client, tenant: Tenant): Promise<void>;
  /** Tables that know their tenant by `workspace_id` instead of `environment_id`. */
  ofWorkspace?: readonly string[];
  /** Tables that the database or a migration alone writes: the application may insert no row at all. */
  writtenByDatabase?: readonly string[];
  /** Which rows of a table can be inserted, where a trigger refuses others before row-level security does. */
  canBegin?: Readonly<Record<string, string>>;
  /** Tables that no tenant's statement reads or writes, or everybody's may: where that is held instead. */
  heldElsewhere?: Readonly<Record<string, string>>;
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

/** Runs `work` with the triggers of the owner's session off, so that a row can be put in any place of its life. */
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
