import { WARNING_TABLE } from '../../domain/actions/warnings.ts';

/** docs/reference/warnings.md: the table of warning codes as a page. */
export function warningReference(): string {
  const rows = Object.entries(WARNING_TABLE).map(([code, meaning]) => `| \`${code}\` | ${meaning} |`);
  return [
    '# Warning codes',
    '',
    '<!-- Generated from domain/actions/warnings.ts by `npm run openapi`. -->',
    '',
    '`POST /api/v2/actions`, `PATCH /api/v2/actions/{ref}` and `POST /api/v2/actions/import` answer `warnings: [{ path, code, message }]`: what may be wrong with',
    'an action that was written nevertheless. So do `POST /api/v2/schedules` and `PATCH /api/v2/schedules/{scheduleId}`. `path` leads into what was written. What is certainly wrong is refused with 400 ([errors](errors.md)).',
    '',
    '| Code | What it says |',
    '|---|---|',
    ...rows,
    '',
  ].join('\n');
}
