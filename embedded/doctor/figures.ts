import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { COUNTED_ROWS_MAX } from '../../domain/metrics/of-the-database.ts';
import type { Session } from './session.ts';

/** By the name of a figure, its values by their label; '' where it has none. */
export type Figures = ReadonlyMap<string, ReadonlyMap<string, number>>;

interface Row {
  name: string;
  label: string;
  value: number;
}

const TRIES = 10;
const TRY_INTERVAL_MS = 100;

/**
 * Reads what PostgreSQL knows of the whole installation, and takes the reading back: otherwise the process that reads these figures for
 * metrics would stop for a while.
 */
export async function readFigures(session: Session): Promise<Figures> {
  for (let tries = 1; ; tries++) {
    const rows = await readOnce(session);
    // The clock alone: a process reads at this moment.
    if (rows.length > 1) return byName(rows);
    if (tries === TRIES) throw new Error('other processes read the figures all the time');
    await delay(TRY_INTERVAL_MS);
  }
}

async function readOnce(session: Session): Promise<Row[]> {
  const [, rows = []] = await session.queryEach<Row>(
    `BEGIN; SELECT name, label, value FROM read_installation_figures('${randomUUID()}', interval '0', ${COUNTED_ROWS_MAX}); ROLLBACK`,
  );
  return rows;
}

function byName(rows: readonly Row[]): Figures {
  const figures = new Map<string, Map<string, number>>();
  for (const { name, label, value } of rows) {
    const labelled = figures.get(name) ?? new Map<string, number>();
    figures.set(name, labelled.set(label, value));
  }
  return figures;
}

/** The largest value of a figure and its label. */
export function largest(figures: Figures, name: string): { label: string; value: number } {
  const labelled = [...(figures.get(name) ?? [])].map(([label, value]) => ({ label, value }));
  return labelled.reduce((most, one) => (one.value > most.value ? one : most), { label: '', value: 0 });
}
