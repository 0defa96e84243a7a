import { WARNING_TABLE } from '../../domain/actions/warnings.ts';
import { GOVERNANCE_WARNING_TABLE } from '../../domain/governance-warnings.ts';

export function warningReference(): string {
  return [
    '# Warning codes',
    '',
    'Look up here what a warning says about an action, a schedule, a policy or a limit that you wrote.',
    '',
    'The reply to a write has `warnings: [{ path, code, message }]`. What you sent was written nevertheless. `path` leads',
    'to the place in what you sent, and the message names what you may have meant. What is certainly wrong is refused',
    'with 400 ([errors](errors.md)).',
    '',
    '## Actions and schedules',
    '',
    '`POST /api/v2/actions`, `PATCH /api/v2/actions/{ref}`, `POST /api/v2/actions/import`, `POST /api/v2/schedules` and',
    '`PATCH /api/v2/schedules/{scheduleId}` answer with these.',
    '',
    ...tableOf(WARNING_TABLE),
    '## Policies and impact limits',
    '',
    'The routes that create or change an [approval policy](../approval-policies.md) or an [impact limit](../impact-limits.md)',
    'answer with these, and so do the plan of policy files and its application. With a warning, `plan --strict` exits with',
    '1, and `apply` with `failOnWarnings: true` is refused with 400; the list is in `details.warnings`.',
    '',
    ...tableOf(GOVERNANCE_WARNING_TABLE),
    '<!-- Generated from domain/actions/warnings.ts and domain/governance-warnings.ts by `npm run openapi`. -->',
    '',
  ].join('\n');
}

function tableOf(table: Readonly<Record<string, string>>): string[] {
  const rows = Object.entries(table).map(([code, meaning]) => `| \`${code}\` | ${meaning} |`);
  return ['| Code | What it says |', '|---|---|', ...rows, ''];
}
