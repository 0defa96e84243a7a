import { LRUCache } from 'lru-cache';
import type { Database, Tenant } from '../client.ts';

const CACHE_ENTRIES_MAX = 1_000;
/** A renamed environment is shown under its old name for this long. */
const CACHE_MS = 60_000;

/** The names of environments, for who starts workflows and holds only the ids of rows: the sweep, and what wakes messages. */
export class EnvironmentNames {
  private readonly db: Pick<Database, 'oneStatement'>;
  private readonly names = new LRUCache<string, Promise<string | null>>({ max: CACHE_ENTRIES_MAX, ttl: CACHE_MS });

  constructor(db: Pick<Database, 'oneStatement'>) {
    this.db = db;
  }

  /** Null where there is no such environment. A failed look-up is not kept. */
  nameOf({ workspaceId, environmentId }: Tenant): Promise<string | null> {
    const known = this.names.get(environmentId);
    if (known !== undefined) return known;
    const read = this.read({ workspaceId, environmentId });
    this.names.set(environmentId, read);
    read.catch(() => this.names.delete(environmentId));
    return read;
  }

  private async read(tenant: Tenant): Promise<string | null> {
    const { rows } = await this.db.oneStatement(tenant, (tx) =>
      tx.raw<{ rows: { name: string }[] }>('SELECT name FROM environments WHERE id = ?', [tenant.environmentId]),
    );
    return rows[0]?.name ?? null;
  }
}
