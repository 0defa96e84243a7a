/** The tables of an invocation's record, with what selects its rows and their order. `i` is the invocation, `e` its effect. */
const TABLES: readonly [table: string, where: string, order: string][] = [
  ['effects', 'r.invocation_id = i.id', 'r.id'],
  ['attempts', 'r.invocation_id = i.id', 'r.number'],
  ['late_answers', 'r.attempt_id IN (SELECT a.id FROM attempts a WHERE a.invocation_id = i.id)', 'r.attempt_id'],
  ['evidence', 'r.effect_id = e.id', 'r.id'],
  ['receipt_chains', 'r.effect_id = e.id', 'r.effect_id'],
  ['receipt_entries', 'r.effect_id = e.id', 'r.sequence'],
  ['resolutions', 'r.invocation_id = i.id', 'r.id'],
  ['observations', 'r.invocation_id = i.id', 'r.sequence'],
  ['previews', 'r.invocation_id = i.id', 'r.id'],
  ['approvals', 'r.invocation_id = i.id', 'r.id'],
  [
    'approval_decisions',
    'r.approval_id IN (SELECT a.id FROM approvals a WHERE a.invocation_id = i.id)',
    'r.actor_type, r.actor_id, r.connected_app_id',
  ],
  [
    'chat_posts',
    'r.approval_id IN (SELECT a.id FROM approvals a WHERE a.invocation_id = i.id)',
    'r.approval_id, r.integration_id',
  ],
  ['impact_reservations', 'r.effect_id = e.id', 'r.id'],
  ['budget_reservations', 'r.invocation_id = i.id', 'r.invocation_id'],
  ['effect_dependencies', 'r.invocation_id = i.id', 'r.position'],
  ['late_executions', 'r.invocation_id = i.id', 'r.kind'],
];

/**
 * The whole record of an invocation as one `jsonb` value: the rows of each table. None of these tables has a sealed column, and none holds a
 * credential. The text of a `jsonb` value is one line, and its digest is that of receipts.
 */
export const ARCHIVE_RECORDS = `
  CREATE FUNCTION archive_record(i invocations) RETURNS jsonb LANGUAGE sql STABLE SET timezone = 'UTC' AS $$
    SELECT jsonb_build_object('invocations', jsonb_build_array(to_jsonb(i)),
      ${TABLES.map(
        ([table, where, order]) =>
          `'${table}', COALESCE((SELECT jsonb_agg(to_jsonb(r) ORDER BY ${order}) FROM ${table} r WHERE ${where}), '[]')`,
      ).join(',\n      ')})
    FROM (SELECT) one LEFT JOIN effects e ON e.invocation_id = i.id
  $$;
`;
