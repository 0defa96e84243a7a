import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider';
import { sendPage } from '../pages/layout.ts';
import { markup } from '../pages/markup.ts';
import { exactText } from '../pages/exact-text.ts';

/** To a browser whose request cannot be sent back to the app: no such app, or no redirect that it has registered. */
export function sendOAuthError(ctx: KoaContextWithOIDC, { error, error_description: description }: ErrorOut): void {
  const content = markup`<p role="alert">The app's request cannot be answered, and nothing was allowed. Go back to the app and connect again.</p>
<p class="note">Error ${exactText(error)}${description !== undefined && markup`: ${exactText(description)}`}</p>`;
  sendPage(ctx, { title: 'The app is not connected', viewer: null, content }, ctx.status);
}
