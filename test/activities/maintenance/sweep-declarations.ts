import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ActivityDependencies } from '../../../activities/dependencies.ts';
import { newId } from '../../../domain/ids.ts';
import type { ActivityWorld } from '../invocations/world.ts';

const TESTS_OF_ACTIVITIES = path.join(import.meta.dirname, '..');

export interface Planted {
  /** Three rows, in the order in which the sweep finds them. The second one always fails. */
  ids: string[];
  /** The rows that were repaired. */
  mended: () => Promise<string[]>;
  overrides?: Partial<ActivityDependencies>;
  /** Brings all of them to rest. Then none of them is found any more. */
  end?: () => Promise<unknown>;
  /** Looks at what the sweep must leave: rows that are too young, or still needed. */
  checkKept?: () => Promise<void>;
}

/**
 * The export `sweeps` of `test/activities/<area>/sweeps.ts`, by the names of the sweep. All are planted in one database, so each plants
 * rows that no other one finds.
 */
export interface DeclaredSweeps {
  /** Rows that are repaired one by one; by `<name>/<kind>` where an area has rows of several kinds. */
  rows?: Readonly<Record<string, (world: ActivityWorld) => Promise<Planted>>>;
  /** Rows that are found inside the database: each step with the function that it calls. */
  steps?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** What every `test/activities/<area>/sweeps.ts` declares. */
export async function collectSweeps(): Promise<Required<DeclaredSweeps>> {
  const collected: Required<DeclaredSweeps> = { rows: {}, steps: {} };
  for (const area of readdirSync(TESTS_OF_ACTIVITIES).sort()) {
    const file = path.join(TESTS_OF_ACTIVITIES, area, 'sweeps.ts');
    if (!existsSync(file)) continue;
    const { sweeps } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as { sweeps?: DeclaredSweeps };
    if (sweeps === undefined) throw new Error(`test/activities/${area}/sweeps.ts does not export \`sweeps\``);
    for (const name of namesOf(sweeps)) {
      if (namesOf(collected).includes(name))
        throw new Error(`test/activities/${area}/sweeps.ts declares ${name} again`);
    }
    collected.rows = { ...collected.rows, ...sweeps.rows };
    collected.steps = { ...collected.steps, ...sweeps.steps };
  }
  return collected;
}

export function namesOf({ rows = {}, steps = {} }: DeclaredSweeps): string[] {
  return [...Object.keys(rows), ...Object.keys(steps)];
}

export const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);

/** Three new ids, in the order in which the sweep finds their rows. */
export function threeIds(kind: Parameters<typeof newId>[0]): string[] {
  return Array.from({ length: 3 }, () => newId(kind)).sort();
}

type Start =
  | 'startInvocation'
  | 'cancelInvocation'
  | 'startReads'
  | 'wakeApproval'
  | 'wakeMessage'
  | 'wakeDeadLetterJob'
  | 'wakeMemoryJob'
  | 'fanOutEvent'
  | 'sendEmail'
  | 'closeBillingMonth'
  | 'putSchedule';

/** Replaces Temporal for the sweep's starts: it refuses the second row. */
export function starting(ids: string[], name: Start): Planted {
  const started: string[] = [];
  const start = (ref: Record<string, unknown>): Promise<void> => {
    const id = ids.find((one) => Object.values(ref).includes(one)) ?? 'another';
    if (id === ids[1]) return Promise.reject(new Error('this one is refused'));
    started.push(id);
    return Promise.resolve();
  };
  return { ids, mended: () => Promise.resolve(started), overrides: { [name]: start } };
}

/** Rows to delete, one of which cannot be deleted. */
export interface Deleted {
  /** As the sweep names them. */
  ids: string[];
  /** The same name, as an expression over the columns. */
  idSql?: string;
  /** Whether a row is the second one, as a condition over `OLD`. */
  poison: string;
}

export async function deleting(
  world: ActivityWorld,
  table: string,
  { ids, idSql = 'id', poison }: Deleted,
): Promise<Planted> {
  await world.database.asOwner(`
    CREATE FUNCTION refuse_${table}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF ${poison} THEN RAISE EXCEPTION 'this one stays'; END IF; RETURN OLD; END $$;
    CREATE TRIGGER poison BEFORE DELETE ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse_${table}()`);
  return {
    ids,
    mended: async () => {
      const there = new Set(idsOf(await world.database.asOwner(`SELECT ${idSql} AS id FROM ${table}`)));
      return ids.filter((id) => !there.has(id));
    },
  };
}

/** Rows whose names are their ids: the second one cannot be deleted. */
export function deletingById(world: ActivityWorld, table: string, ids: string[]): Promise<Planted> {
  return deleting(world, table, { ids, poison: `OLD.id = '${ids[1]}'` });
}
