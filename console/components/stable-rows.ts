import { useState } from 'react';

interface Shown<Row> {
  key: string;
  rows: readonly Row[];
}

/**
 * Rows do not jump under the cursor: those that are shown are renewed in place, and new ones are counted until a person asks for them.
 * `key` names the list (its environment, filters and page): another list is shown as it comes.
 */
export function useStableRows<Row>(
  items: readonly Row[],
  { key, idOf, limit }: { key: string; idOf: (row: Row) => string; limit: number },
): { rows: readonly Row[]; fresh: number; accept: () => void } {
  const [shown, setShown] = useState<Shown<Row>>({ key, rows: items });
  const rows = shown.key === key ? renewed(shown.rows, items, { idOf, isFull: items.length >= limit }) : items;
  const isChanged =
    shown.key !== key || rows.length !== shown.rows.length || rows.some((row, at) => row !== shown.rows[at]);
  // Set while rendering: React renders again at once, before anything is painted.
  if (isChanged) setShown({ key, rows });
  const known = new Set(rows.map(idOf));
  const fresh = items.filter((row) => !known.has(idOf(row))).length;
  return { rows, fresh, accept: () => setShown({ key, rows: items }) };
}

function renewed<Row>(
  shown: readonly Row[],
  items: readonly Row[],
  { idOf, isFull }: { idOf: (row: Row) => string; isFull: boolean },
): readonly Row[] {
  const byId = new Map(items.map((row) => [idOf(row), row]));
  // A full page has pushed its last rows onto the next one. On a page with room left, a row that is gone no longer matches.
  const rows = shown.flatMap((row) => byId.get(idOf(row)) ?? (isFull ? [row] : []));
  return rows.length === 0 ? items : rows;
}
