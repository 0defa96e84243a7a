/**
 * Renders the columns of a record as a SELECT list: `{ createdAt: 'actions.created_at' }` gives `actions.created_at AS
 * "createdAt"`.
 */
export function selected(columns: Readonly<Record<string, string>>): string {
  return Object.entries(columns)
    .map(([name, column]) => `${column} AS "${name}"`)
    .join(', ');
}
