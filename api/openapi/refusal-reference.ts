import { REFUSAL_CODES, refusalEntry } from '../../domain/refusals.ts';

/** Placeholders for an invocation's own ids. */
const EXAMPLE = { invocationId: 'inv_…', effectId: 'eff_…', approvalId: 'apr_…', details: {} };

export function refusalReference(): string {
  const rows = REFUSAL_CODES.map((code) => {
    const { statuses, meaning, details, nextStep } = refusalEntry(code);
    const members = details.map((name) => `\`${name}\``).join(', ');
    return `| \`${code}\` | ${statuses.map((status) => `\`${status}\``).join(', ')} | ${meaning} | ${members} | ${nextStep(EXAMPLE)} |`;
  });
  return [
    '# Refusal codes',
    '',
    'Look up here why an invocation was not carried out, and what to do next. Match on `refusal.code`.',
    '',
    'An invocation that was refused, failed, or has an unknown outcome carries `refusal: { code, message, details }`',
    'beside the `error` string. The message is for people. `nextStep` is one sentence that an agent can follow, with the',
    'ids and times that are known. An `unknown` invocation with an effect also has `details.resumeAt`: when the provider',
    'is read next.',
    '',
    '| Code | Status | What it means | Details | Next step |',
    '|---|---|---|---|---|',
    ...rows,
    '',
    '<!-- Generated from domain/refusals.ts by `npm run openapi`. -->',
    '',
  ].join('\n');
}
