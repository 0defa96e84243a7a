import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider';
import { sendPage } from '../html/layout.ts';
import { markup, type Markup, WebAddress } from '../html/markup.ts';
import { exactText } from '../html/exact-text.ts';

/** To a browser whose request cannot be sent back to the app: no such app, or no redirect that it has registered. */
export function sendOAuthError(ctx: KoaContextWithOIDC, error: ErrorOut): void {
  send(ctx, error, null);
}

/**
 * To a browser that would be sent back to the app, before anybody has signed in. Whoever looks at the page decides whether they know the site
 * (RFC 9700, 4.11.2); the app hears of the error if they go there.
 */
export function sendOAuthErrorWithLink(ctx: KoaContextWithOIDC, error: ErrorOut, back: URL): void {
  if (!/^https?:$/.test(back.protocol)) return send(ctx, error, null);
  const content = markup`<p>The app asked to send you to <a href="${new WebAddress(back.href)}" rel="noreferrer">${exactText(back.host)}</a>. Go there only if you know this site.</p>
`;
  send(ctx, error, content);
}

function send(ctx: KoaContextWithOIDC, { error, error_description: description }: ErrorOut, way: Markup | null): void {
  const content = markup`<p role="alert">The app's request cannot be answered, and nothing was allowed. Go back to the app and connect again.</p>
${way}<p class="note">Error ${exactText(error)}${description !== undefined && markup`: ${exactText(description)}`}</p>`;
  sendPage(ctx, { title: 'The app is not connected', viewer: null, content }, ctx.status);
}
