import { CONSOLE_PATH } from '../../domain/console-links.ts';
import { preferredEncoding } from '../../domain/docs/negotiation.ts';
import { PRODUCT } from '../../domain/product.ts';
import { escaped } from '../html/markup.ts';
import { signInPathFor, redirectTo } from '../html/layout.ts';
import { PALETTE, PALETTE_PATH } from '../html/palette.ts';
import type { HttpContext, HttpMiddleware } from '../http/context.ts';
import { readSessionCookie } from '../http/sessions.ts';
import { BuiltConsole, type EntryFiles } from './built-console.ts';

const ASSETS = `${CONSOLE_PATH}/assets/`;
/** The paths below these are screens of the console; the console itself knows which of them exist. */
const SCREENS = ['e', 'settings', 'billing', 'welcome'].map((area) => `${CONSOLE_PATH}/${area}`);
const IMMUTABLE = 'public, max-age=31536000, immutable';
const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

/** As on the pages without a script, with our own scripts and our own API. No string may become a script or markup. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** The shell of the console and what the build made for it. Everything that it shows comes from the API. */
export function serveConsole(temporalUi: string | null): HttpMiddleware {
  let built: BuiltConsole | undefined;
  return async (ctx, next) => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next();
    if (ctx.path === PALETTE_PATH) return sendImmutable(ctx, 'css', Buffer.from(PALETTE));
    const isAsset = ctx.path.startsWith(ASSETS);
    if (!isAsset && !isScreen(ctx.path)) return next();
    built ??= new BuiltConsole();
    return isAsset ? sendAsset(ctx, built) : sendShell(ctx, built, temporalUi);
  };
}

export function isScreen(path: string): boolean {
  return SCREENS.some((screen) => path === screen || path.startsWith(`${screen}/`));
}

function sendAsset(ctx: HttpContext, built: BuiltConsole): void {
  const name = ctx.path.slice(ASSETS.length);
  const encoding = preferredEncoding(ctx.get('Accept-Encoding'));
  const content = built.asset(name, encoding);
  // A page of an earlier release asks for files that are gone: the console then offers to load itself again.
  if (content === null) {
    ctx.status = 404;
    ctx.body = 'The console has no such file. Load the page again.\n';
    return;
  }
  if (encoding !== 'identity') ctx.set('Content-Encoding', encoding);
  sendImmutable(ctx, name.slice(name.lastIndexOf('.') + 1), content);
}

function sendImmutable(ctx: HttpContext, extension: string, content: Buffer): void {
  ctx.vary('Accept-Encoding');
  ctx.set('Cache-Control', IMMUTABLE);
  ctx.type = TYPES[extension] ?? 'application/octet-stream';
  ctx.body = content;
}

/** A browser without a session signs in first and comes back. One whose session has ended is sent there by the console. */
function sendShell(ctx: HttpContext, built: BuiltConsole, temporalUi: string | null): void {
  if (readSessionCookie(ctx) === null) return redirectTo(ctx, signInPathFor(ctx.url));
  ctx.set({
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Referrer-Policy': 'same-origin',
    'Cache-Control': 'no-cache',
  });
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = shellOf(built.entry, temporalUi);
}

function shellOf({ script, preloads, sheets }: EntryFiles, temporalUi: string | null): string {
  const meta = temporalUi === null ? '' : `\n<meta name="temporal-ui" content="${escaped(temporalUi)}">`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${PRODUCT.name}</title>${meta}
<link rel="icon" href="data:,">
${[PALETTE_PATH, ...sheets].map((sheet) => `<link rel="stylesheet" href="${sheet}">`).join('\n')}
${preloads.map((file) => `<link rel="modulepreload" href="${file}">`).join('\n')}
<script type="module" src="${script}"></script>
</head>
<body>
<div id="console"></div>
<noscript><p>The console needs JavaScript. Approvals do not: <a href="${CONSOLE_PATH}">open the inbox</a>.</p></noscript>
</body>
</html>
`;
}
