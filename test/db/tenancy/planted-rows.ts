import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Client } from 'pg';
import type { Tenant } from '../../../db/client.ts';
import type { PlantedArea } from '../harness/plant.ts';

const TESTS_OF_DB = path.join(import.meta.dirname, '..');

/** What every `test/db/<area>/planted-rows.ts` declares, by the name of its folder. */
export const PLANTED_AREAS: Readonly<Record<string, PlantedArea>> = await collectAreas();

/** At least one row in every tenant table below the workspace. */
export async function plantRows(owner: Client, tenant: Tenant): Promise<void> {
  for (const { plant } of Object.values(PLANTED_AREAS)) await plant(owner, tenant);
}

/** The tables that an area declares to be of this kind. */
export function tablesThatAre(kind: 'ofWorkspace' | 'writtenByDatabase'): readonly string[] {
  return Object.values(PLANTED_AREAS).flatMap((area) => area[kind] ?? []);
}

/** What the areas declare about tables, by table. */
export function saidOfTables<What extends 'canBegin' | 'heldElsewhere' | 'writtenBeside'>(
  what: What,
): Readonly<Record<string, NonNullable<PlantedArea[What]>[string]>> {
  return Object.fromEntries(Object.values(PLANTED_AREAS).flatMap((area) => Object.entries(area[what] ?? {})));
}

async function collectAreas(): Promise<Record<string, PlantedArea>> {
  const areas: Record<string, PlantedArea> = {};
  for (const area of readdirSync(TESTS_OF_DB).sort()) {
    const file = path.join(TESTS_OF_DB, area, 'planted-rows.ts');
    if (file === import.meta.filename || !existsSync(file)) continue;
    const { rows } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as { rows?: PlantedArea };
    if (rows === undefined) throw new Error(`test/db/${area}/planted-rows.ts does not export \`rows\``);
    areas[area] = rows;
  }
  return areas;
}
