import { WARNING_TABLE } from '../../domain/actions/warnings.ts';
import type { SourcePage } from '../../domain/docs/content.ts';
import { ERROR_TABLE, type ErrorCode, statusesOf, statusOf } from '../../domain/errors.ts';
import { GOVERNANCE_WARNING_TABLE } from '../../domain/governance-warnings.ts';
import { REFUSAL_CODES, refusalEntry } from '../../domain/refusals.ts';
import type { AnyRoute } from '../http/define-route.ts';
import { errorCodesOf } from '../openapi/responses.ts';
import { errorRoute, operationRoute, refusalRoute, warningRoute } from '../../domain/docs/code-routes.ts';
import { ERROR_ADVICE } from './error-advice.ts';
import { table } from './markdown-table.ts';

/** Above this, a list of operations says nothing about any of them. */
const OPERATIONS_SHOWN_MAX = 40;
/** Placeholders for an invocation's own ids. */
const EXAMPLE_FACTS = { invocationId: 'inv_…', effectId: 'eff_…', approvalId: 'apr_…', details: {} };

export function codePages(routes: readonly AnyRoute[]): SourcePage[] {
  return [
    ...(Object.keys(ERROR_TABLE) as ErrorCode[]).map((code) => errorPage(code, routes)),
    ...REFUSAL_CODES.map(refusalPage),
    ...Object.entries(WARNING_TABLE).map(([code, meaning]) => warningPage(code, meaning, 'an action or a schedule')),
    ...Object.entries(GOVERNANCE_WARNING_TABLE).map(([code, meaning]) =>
      warningPage(code, meaning, 'an approval policy or an impact limit'),
    ),
  ];
}

type CodePage = Pick<SourcePage, 'route' | 'type' | 'description'> & { code: string; sections: string[] };

function codePage({ code, sections, ...page }: CodePage): SourcePage {
  const markdown = `${[`# ${code}`, ...sections].join('\n\n')}\n`;
  return { ...page, source: null, title: code, facets: { area: 'Codes' }, markdown };
}

function errorPage(code: ErrorCode, routes: readonly AnyRoute[]): SourcePage {
  const { message } = ERROR_TABLE[code];
  const status = statusesOf(code).join(' or ');
  const body = { success: false, error: { code, message }, requestId: 'req_01nFr6tauNZVxm5VlXvYVZ' };
  return codePage({
    route: errorRoute(code),
    type: 'error',
    code,
    description: `Error, status ${status}. ${message}`,
    sections: [
      `An error with the status ${status}. ${message}`,
      '## What to do',
      ERROR_ADVICE[code],
      '## The reply',
      ['```json', JSON.stringify(body, null, 2), '```'].join('\n'),
      'The message of a reply says more where more is known; some codes have `details`. Match on `error.code`.',
      ...operationsOf(code, routes),
      'All codes: [errors](/reference/errors). The form of replies: [the API](/api#errors).',
    ],
  });
}

function operationsOf(code: ErrorCode, routes: readonly AnyRoute[]): string[] {
  const found = routes.filter((route) => errorCodesOf(route).includes(code));
  if (found.length === 0) return [];
  const title = '## Operations that answer it';
  if (found.length > OPERATIONS_SHOWN_MAX) return [title, `${found.length} of the ${routes.length} operations.`];
  const rows = found.map((route) => [
    `[\`${route.method} ${route.path}\`](${operationRoute(route.id)})`,
    route.summary,
    `${statusOf(code, route)}`,
  ]);
  return [title, table(['Operation', 'What it does', 'Status'], rows)];
}

function refusalPage(code: (typeof REFUSAL_CODES)[number]): SourcePage {
  const { statuses, meaning, details, nextStep } = refusalEntry(code);
  const status = statuses.map((one) => `\`${one}\``).join(' or ');
  const members = details.map((name) => `\`${name}\``).join(', ');
  return codePage({
    route: refusalRoute(code),
    type: 'refusal',
    code,
    description: `Refusal of an invocation that is ${statuses.join(' or ')}. ${meaning}`,
    sections: [
      `The \`refusal.code\` of an invocation whose status is ${status}. ${meaning}`,
      '## What to do',
      nextStep(EXAMPLE_FACTS),
      'The invocation says the same in `nextStep`, with its own ids and times.',
      '## Details',
      members === '' ? 'The refusal has no `details`.' : `\`refusal.details\` may have ${members}.`,
      'All codes: [refusals](/reference/refusals). What an invocation is: [invocations](/invocations).',
    ],
  });
}

function warningPage(code: string, meaning: string, of: string): SourcePage {
  return codePage({
    route: warningRoute(code),
    type: 'warning',
    code,
    description: `Warning about ${of}. ${meaning}`,
    sections: [
      `A warning about ${of} that was written nevertheless. ${meaning}`,
      '## Where it stands',
      'In `warnings` of the reply, as `{ path, code, message }`: `path` leads into what was written, and the message names what may have been meant.',
      'All codes: [warnings](/reference/warnings).',
    ],
  });
}
