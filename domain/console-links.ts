/** The paths of our pages that others link to: records of the API, e-mails, messages. */
export const CONSOLE_PATH = '/console';
/** Where the console with JavaScript begins: it leads on to an environment. */
export const CONSOLE_START_PATH = `${CONSOLE_PATH}/e`;

export function environmentPath(environmentId: string): string {
  return `${CONSOLE_PATH}/environments/${encodeURIComponent(environmentId)}/approvals`;
}

/** A screen of the console, by its path below the environment. */
export function consolePath(environmentId: string, screen: string): string {
  return `${CONSOLE_START_PATH}/${encodeURIComponent(environmentId)}${screen}`;
}

/** Where a person decides on an approval. The environment is in it, because a session belongs to none. */
export function approvalPath(environmentId: string, approvalId: string): string {
  return `${environmentPath(environmentId)}/${encodeURIComponent(approvalId)}`;
}

export function approvalContentPath(environmentId: string, approvalId: string): string {
  return `${approvalPath(environmentId, approvalId)}/content`;
}

/** The page of an approval as a link; null where nobody said how the service is reached (PUBLIC_URL). */
export function approvalUrl(publicUrl: string | null, environmentId: string, approvalId: string): string | null {
  return publicUrl === null ? null : `${publicUrl}${approvalPath(environmentId, approvalId)}`;
}

/** Where to go after a sign-in, as a browser parses it: one of our own pages, else the start page. */
export function safeNext(wanted: string | null | undefined): string {
  const base = 'http://page.invalid';
  if (wanted === null || wanted === undefined || !URL.canParse(wanted, base)) return CONSOLE_PATH;
  const { origin, pathname, search } = new URL(wanted, base);
  const isOurs = pathname === CONSOLE_PATH || pathname.startsWith(`${CONSOLE_PATH}/`);
  return origin === base && isOurs ? `${pathname}${search}` : CONSOLE_PATH;
}
