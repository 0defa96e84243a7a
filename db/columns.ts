/** The columns of a record as the list of a SELECT: `{ createdAt: 'actions.created_at' }` is `actions.created_at AS "createdAt"`. */
export function selected(columns: Readonly<Record<string, string>>): string {
  return Object.entries(columns)
    .map(([name, column]) => `${column} AS "${name}"`)
    .join(', ');
}
