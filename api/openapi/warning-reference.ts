import { WARNING_TABLE } from '../../domain/actions/warnings.ts';
import { GOVERNANCE_WARNING_TABLE } from '../../domain/governance-warnings.ts';

/** docs/reference/warnings.md: the tables of warning codes as a page. */
export function warningReference(): string {
  return [
    '# Warning codes',
    '',
    '<!-- Generated from domain/actions/warnings.ts and domain/governance-warnings.ts by `npm run openapi`. -->',
    '',
    'A reply to what writes something has `warnings: [{ path, code, message }]`: what may be wrong with it. It was written nevertheless. `path` leads into what',
    'was written, and the message names what may have been meant. What is certainly wrong is refused with 400 ([errors](errors.md)).',
    '',
    '## Actions and schedules',
    '',
    '`POST /api/v2/actions`, `PATCH /api/v2/actions/{ref}` and `POST /api/v2/actions/import`; `POST /api/v2/schedules` and `PATCH /api/v2/schedules/{scheduleId}`.',
    '',
    ...tableOf(WARNING_TABLE),
    '## Policies and impact limits',
    '',
    'Creating and changing an [approval policy](../approval-policies.md) or an [impact limit](../impact-limits.md), and the plan of policy files and its',
    'application. `plan --strict` ends with 1 where there is one; `apply` with `failOnWarnings: true` is refused with 400, with the list in `details.warnings`.',
    '',
    ...tableOf(GOVERNANCE_WARNING_TABLE),
  ].join('\n');
}

function tableOf(table: Readonly<Record<string, string>>): string[] {
  const rows = Object.entries(table).map(([code, meaning]) => `| \`${code}\` | ${meaning} |`);
  return ['| Code | What it says |', '|---|---|', ...rows, ''];
}
