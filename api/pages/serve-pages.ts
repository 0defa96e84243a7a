import { Router } from '@koa/router';
import { CONSOLE_PATH } from '../../domain/console-links.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { PageRequest } from '../html/page-request.ts';
import { SIGN_IN_PATH } from '../html/layout.ts';
import { PASSKEY_SCRIPT, PASSKEY_SCRIPT_PATH } from '../html/passkey-script.ts';
import { STYLE, STYLE_PATH } from '../html/style.ts';
import type { HttpContext, HttpMiddleware, RequestState } from '../http/context.ts';
import type { RouteRunner } from '../http/route-runner.ts';
import { decideOnPage, sendApprovalContent, showApprovalPage } from './approval.ts';
import { isPagePath } from './error-pages.ts';
import { showEnvironment, showInbox } from './inbox.ts';
import { finishWithCode, finishWithPasskey } from './second-step.ts';
import { showSignIn, signIn, signInWithPasskey, signOut } from './sign-in.ts';

const STATIC_MAX_AGE_SECONDS = 31_536_000;
const ENVIRONMENT = `${CONSOLE_PATH}/environments/:environmentId/approvals`;

/** Pages for people: sign in, see what waits, decide. HTML forms, and one small script that asks for passkeys (docs/approvals.md, "The page"). */
export function servePages(runner: RouteRunner): HttpMiddleware {
  const router = new Router<RequestState>({ sensitive: true });
  const page =
    (show: (request: PageRequest, params: Record<string, string>) => Promise<void> | void) =>
    async (ctx: unknown): Promise<void> => {
      const context = ctx as HttpContext;
      const params = context['params'] as Record<string, string>;
      if (Object.values(params).some((value) => value.includes('\0'))) throw noPage(); // PostgreSQL holds no such text
      await show({ runner, ctx: context }, params);
    };
  const approval = (params: Record<string, string>): { environmentId: string; approvalId: string } => ({
    environmentId: params['environmentId'] ?? '',
    approvalId: params['approvalId'] ?? '',
  });
  router.get(STYLE_PATH, sendStatic('text/css; charset=utf-8', STYLE));
  router.get(PASSKEY_SCRIPT_PATH, sendStatic('text/javascript; charset=utf-8', PASSKEY_SCRIPT));
  router.get(SIGN_IN_PATH, page(showSignIn));
  router.post(SIGN_IN_PATH, page(signIn));
  router.post(`${SIGN_IN_PATH}/with-passkey`, page(signInWithPasskey));
  router.post(`${SIGN_IN_PATH}/passkey`, page(finishWithPasskey));
  router.post(`${SIGN_IN_PATH}/recovery-code`, page(finishWithCode));
  router.post(`${CONSOLE_PATH}/sign-out`, page(signOut));
  router.get(CONSOLE_PATH, page(showInbox));
  router.get(
    ENVIRONMENT,
    page((request, { environmentId = '' }) => showEnvironment(request, environmentId)),
  );
  router.get(
    `${ENVIRONMENT}/:approvalId`,
    page((request, params) => showApprovalPage(request, approval(params))),
  );
  router.post(
    `${ENVIRONMENT}/:approvalId`,
    page((request, params) => decideOnPage(request, approval(params))),
  );
  router.get(
    `${ENVIRONMENT}/:approvalId/content`,
    page((request, params) => sendApprovalContent(request, approval(params))),
  );
  const serve = router.routes() as unknown as HttpMiddleware;
  return async (ctx, next) => {
    if (!isPagePath(ctx.path)) return next();
    await serve(ctx, () => {
      throw noPage();
    });
  };
}

const noPage = (): ServiceError => new ServiceError('NOT_FOUND', { message: 'No page has this address.' });

function sendStatic(type: string, body: string) {
  return (ctx: { set(name: string, value: string): void; type: string; body: unknown }): void => {
    ctx.set('Cache-Control', `public, max-age=${STATIC_MAX_AGE_SECONDS}, immutable`);
    ctx.type = type;
    ctx.body = body;
  };
}
