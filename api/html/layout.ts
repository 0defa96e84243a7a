import { randomBytes } from 'node:crypto';
import { CONSOLE_PATH, CONSOLE_START_PATH, safeNext } from '../../domain/console-links.ts';
import { cutText } from '../../domain/cut-text.ts';
import { PRODUCT } from '../../domain/product.ts';
import { visibleText } from '../../domain/unseen-characters.ts';
import type { HttpContext } from '../http/context.ts';
import { exactText, SHORT_BYTES_MAX } from './exact-text.ts';
import { markup, type Markup, Room, within } from './markup.ts';
import { PASSKEY_SCRIPT_PATH } from './passkey-script.ts';
import { STYLE_PATH } from './style.ts';

const NONCE_BYTES = 16;

/** Loads only our style sheet, runs no script, and posts forms to ourselves only. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
];

/** Runs the script for passkeys, which alone has the nonce. It calls our API, and no string may become a script or markup. */
function policyWithScript(nonce: string): string[] {
  return [
    ...POLICY,
    `script-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ];
}

export interface Viewer {
  email: string;
  csrfToken: string;
}

/** Maximum bytes of any page, whatever its texts. */
export const PAGE_BYTES_MAX = 524_288;
/** Rendered bytes of an error's message, which may quote the request. */
export const MESSAGE_BYTES_MAX = 6_000;
const TITLE_CHARACTERS_MAX = 300;
/** Bytes reserved for the markup around the content. */
const FRAME_BYTES_MAX = 16_384;

export interface Page {
  /** May hold foreign text. Also the heading, unless the content has its own. */
  title: string;
  /** Null when nobody is signed in. */
  viewer: Viewer | null;
  content: Markup;
  /** `wide`: two columns with their own heading. By default one column. */
  width?: 'narrow' | 'wide';
  /** Has a form that a passkey confirms (`passkeyFields`). Without script such a page shows everything and asks for no passkey. */
  asksForPasskey?: boolean;
}

export function sendPage(ctx: HttpContext, page: Page, status = 200): void {
  const nonce = page.asksForPasskey === true ? randomBytes(NONCE_BYTES).toString('base64') : null;
  ctx.set({
    'Content-Security-Policy': (nonce === null ? POLICY : policyWithScript(nonce)).join('; '),
    'Cross-Origin-Opener-Policy': 'same-origin',
    // With `no-referrer` a browser sends `Origin: null` with a form, and the Origin check would refuse it.
    'Referrer-Policy': 'same-origin',
  });
  ctx.status = status;
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = documentOf(page, nonce);
}

/** POST, redirect, GET: a reload sends nothing again. */
export function redirectTo(ctx: HttpContext, path: string): void {
  ctx.status = 303;
  ctx.set('Location', path);
  ctx.body = null;
  ctx.status = 303; // Koa takes an empty body for a 204
}

export function documentOf({ title, viewer, content, width = 'narrow' }: Page, nonce: string | null = null): string {
  const shown = within(content, PAGE_BYTES_MAX - FRAME_BYTES_MAX);
  const frame = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${visibleText(cutText(title, TITLE_CHARACTERS_MAX))} · ${PRODUCT.name}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${STYLE_PATH}">
${nonce !== null && markup`<script src="${PASSKEY_SCRIPT_PATH}" nonce="${nonce}" defer></script>`}
</head>
<body class="${width}">
<header>
<a class="skip" href="#main">Skip to the content</a>
<strong>${PRODUCT.name}</strong>
${viewer !== null && headerOf(viewer)}
</header>
<main id="main">
${width === 'narrow' && markup`<h1>${exactText(title, SHORT_BYTES_MAX)}</h1>`}
${shown.lacksEntries && alertOf('This page would be too long: a list on it ends before its last entries.')}
${shown.content}
</main>
</body>
</html>
`;
  return frame.render(new Room(PAGE_BYTES_MAX));
}

export const SIGN_IN_PATH = `${CONSOLE_PATH}/sign-in`;

/** Leads back to `next`, a path of ours. */
export function signInPathFor(next: string): string {
  return `${SIGN_IN_PATH}?${new URLSearchParams({ next: safeNext(next) }).toString()}`;
}

function headerOf({ email, csrfToken }: Viewer): Markup {
  return markup`<nav aria-label="Pages"><a href="${CONSOLE_PATH}">Approvals</a> <a href="${CONSOLE_START_PATH}">Console</a></nav>
<div class="who"><p>Signed in as ${email}</p>
<form method="post" action="${CONSOLE_PATH}/sign-out">${csrfField(csrfToken)}<button>Sign out</button></form></div>`;
}

/** What a form with `data-passkey` needs for the script, which takes the first note away where it runs. */
export function passkeyFields(): Markup {
  return markup`<input type="hidden" name="credential" value="">
<p class="note" data-passkey-unscripted>A script of this page asks for your passkey. Your browser has not run it: allow JavaScript for this page, or open it in another browser.</p>
<p class="alert" role="alert" data-passkey-says hidden></p>`;
}

export function csrfField(csrfToken: string): Markup {
  return markup`<input type="hidden" name="csrfToken" value="${csrfToken}">`;
}

/** Screen readers announce it first. */
export function alertOf(message: string): Markup {
  return markup`<p class="alert" role="alert">${exactText(message, MESSAGE_BYTES_MAX)}</p>`;
}
