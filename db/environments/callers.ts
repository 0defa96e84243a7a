import { LRUCache } from 'lru-cache';
import type { Database, Tenant } from '../client.ts';

/** An environment as a credential names it. */
export interface CallerEnvironment {
  id: string;
  name: string;
  kind: 'development' | 'staging' | 'production';
  protected: boolean;
}

/** The columns of a credential's environment, in each function that finds a credential. */
export interface CallerEnvironmentRow {
  environment_id: string;
  environment_name: string;
  environment_kind: CallerEnvironment['kind'];
  environment_protected: boolean;
}

export function callerEnvironmentOf(row: CallerEnvironmentRow): CallerEnvironment {
  return {
    id: row.environment_id,
    name: row.environment_name,
    kind: row.environment_kind,
    protected: row.environment_protected,
  };
}

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
      tx.raw<{ rows: { name: string }[] }>('environments_read', 'SELECT name FROM environments WHERE id = ?', [
        tenant.environmentId,
      ]),
    );
    return rows[0]?.name ?? null;
  }
}
