import { CONSOLE_PATH } from '../../domain/console-links.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { PageRequest } from './page-request.ts';
import type { HttpMiddleware } from '../http/context.ts';
import { PathTable } from '../http/path-table.ts';
import type { RouteRunner } from '../http/route-runner.ts';
import { decideOnPage, sendApprovalContent, showApprovalPage } from './approval.ts';
import { isPagePath } from './error-pages.ts';
import { showEnvironment, showInbox } from './inbox.ts';
import { showSignIn, signIn, SIGN_IN_PATH, signOut } from './sign-in.ts';
import { STYLE, STYLE_PATH } from './style.ts';

const STYLE_MAX_AGE_SECONDS = 31_536_000;
const ENVIRONMENT = `${CONSOLE_PATH}/environments/{environmentId}/approvals`;

type Params = Record<string, string>;
type Show = (request: PageRequest, params: Params) => Promise<void> | void;

const placeOf = ({ environmentId = '', approvalId = '' }: Params) => ({ environmentId, approvalId });

const PAGES: readonly (readonly ['GET' | 'POST', string, Show])[] = [
  ['GET', STYLE_PATH, sendStyle],
  ['GET', SIGN_IN_PATH, showSignIn],
  ['POST', SIGN_IN_PATH, signIn],
  ['POST', `${CONSOLE_PATH}/sign-out`, signOut],
  ['GET', CONSOLE_PATH, showInbox],
  ['GET', ENVIRONMENT, (request, { environmentId = '' }) => showEnvironment(request, environmentId)],
  ['GET', `${ENVIRONMENT}/{approvalId}`, (request, params) => showApprovalPage(request, placeOf(params))],
  ['POST', `${ENVIRONMENT}/{approvalId}`, (request, params) => decideOnPage(request, placeOf(params))],
  ['GET', `${ENVIRONMENT}/{approvalId}/content`, (request, params) => sendApprovalContent(request, placeOf(params))],
];

/** Our pages for people: sign in, see what waits, decide. HTML and forms, without a script (docs/approvals.md, "The page"). */
export function servePages(runner: RouteRunner): HttpMiddleware {
  const pages = new PathTable<Partial<Record<string, Show>>>();
  for (const [method, path, show] of PAGES) pages.at(path, () => ({}))[method] = show;
  return async (ctx, next) => {
    if (!isPagePath(ctx.path)) return next();
    const place = pages.find(ctx.path);
    const show = place?.found[ctx.method === 'HEAD' ? 'GET' : ctx.method];
    if (place === null || show === undefined) throw noPage();
    // PostgreSQL holds no such text.
    if (Object.values(place.params).some((value) => value.includes('\0'))) throw noPage();
    await show({ runner, ctx }, place.params);
  };
}

const noPage = (): ServiceError => new ServiceError('NOT_FOUND', { message: 'No page has this address.' });

function sendStyle({ ctx }: PageRequest): void {
  ctx.set('Cache-Control', `public, max-age=${STYLE_MAX_AGE_SECONDS}, immutable`);
  ctx.type = 'text/css; charset=utf-8';
  ctx.body = STYLE;
}
