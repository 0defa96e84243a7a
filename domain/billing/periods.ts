/** A span of time, its end excluded. Months are UTC. */
export interface Period {
  start: Date;
  end: Date;
}

export function isoPeriod({ start, end }: Period): { start: string; end: string } {
  return { start: start.toISOString(), end: end.toISOString() };
}

/** The UTC day of an instant, as `YYYY-MM-DD`. */
export function dayOf(at: Date): string {
  return at.toISOString().slice(0, 'YYYY-MM-DD'.length);
}

/** The UTC month of an instant, as `YYYY-MM`. */
export function monthOf(at: Date): string {
  return at.toISOString().slice(0, 'YYYY-MM'.length);
}

/** `[first of the month 00:00:00.000, first of the next 00:00:00.000)`, UTC. `month` is `YYYY-MM`. */
export function periodOf(month: string): Period {
  const start = new Date(`${month}-01T00:00:00.000Z`);
  return { start, end: new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1)) };
}

export function firstDayOf(month: string): string {
  return `${month}-01`;
}
