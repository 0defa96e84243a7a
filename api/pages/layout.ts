import { CONSOLE_PATH } from '../../domain/console-links.ts';
import { PRODUCT } from '../../domain/product.ts';
import { visibleText } from '../../domain/unseen-characters.ts';
import type { HttpContext } from '../http/context.ts';
import { exactText } from './exact-text.ts';
import { markup, type Markup } from './markup.ts';
import { STYLE_PATH } from './style.ts';

/** Nothing but our style sheet is loaded, no script runs, and a form is sent to ourselves only. The icon is an empty one. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The member who looks at the page, for its header. */
export interface Viewer {
  email: string;
  csrfToken: string;
}

export interface Page {
  /** Others may have written it, or a part of it. */
  title: string;
  /** Null: nobody is signed in. */
  viewer: Viewer | null;
  content: Markup;
}

export function sendPage(ctx: HttpContext, page: Page, status = 200): void {
  ctx.set({
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
    'Cross-Origin-Opener-Policy': 'same-origin',
    // With `no-referrer` a browser sends a form with `Origin: null`, and the check of the Origin would refuse it.
    'Referrer-Policy': 'same-origin',
  });
  ctx.status = status;
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = documentOf(page).text;
}

/** POST, redirect, GET: reloading the page that follows sends nothing again. */
export function redirectTo(ctx: HttpContext, path: string): void {
  ctx.status = 303;
  ctx.set('Location', path);
  ctx.body = null;
  ctx.status = 303; // Koa takes an empty body for a 204
}

function documentOf({ title, viewer, content }: Page): Markup {
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${visibleText(title)} · ${PRODUCT.name}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${STYLE_PATH}">
</head>
<body>
<header>
<a class="skip" href="#main">Skip to the content</a>
<strong>${PRODUCT.name}</strong>
${viewer !== null && headerOf(viewer)}
</header>
<main id="main">
<h1>${exactText(title)}</h1>
${content}
</main>
</body>
</html>
`;
}

function headerOf({ email, csrfToken }: Viewer): Markup {
  return markup`<nav aria-label="Pages"><a href="${CONSOLE_PATH}">Approvals</a></nav>
<div class="who"><p>Signed in as ${email}</p>
<form method="post" action="${CONSOLE_PATH}/sign-out">${csrfField(csrfToken)}<button>Sign out</button></form></div>`;
}

/** Every form of a signed-in page has it. */
export function csrfField(csrfToken: string): Markup {
  return markup`<input type="hidden" name="csrfToken" value="${csrfToken}">`;
}

/** The error, which a screen reader says first. */
export function alertOf(message: string): Markup {
  return markup`<p class="alert" role="alert">${message}</p>`;
}
