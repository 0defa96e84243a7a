import { AUDIT_ACTIONS } from '../../domain/audit-actions.ts';

export function auditReference(): string {
  const sections = Object.entries(AUDIT_ACTIONS).flatMap(([area, actions]) => [
    `## ${area}`,
    '',
    '| Action | Recorded when |',
    '|---|---|',
    ...Object.entries(actions).map(([action, recordedWhen]) => `| \`${action}\` | ${recordedWhen} |`),
    '',
  ]);
  return [
    '# Audit actions',
    '',
    'Look up here what an entry of the [audit log](../audit.md) records. Its `action` is one of these.',
    '',
    ...sections,
    '<!-- Generated from domain/audit-actions.ts by `npm run openapi`. -->',
    '',
  ].join('\n');
}
