/**
 * The part of a webhook's URL that the audit log keeps: its host alone. Paths of webhooks often are credentials, and the log is kept for
 * ever.
 */
export function auditedHost(url: string): string {
  return URL.canParse(url) ? new URL(url).host : '';
}
