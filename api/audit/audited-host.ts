/** The host of a webhook's URL. Paths often are credentials, and the log is permanent. */
export function auditedHost(url: string): string {
  return URL.canParse(url) ? new URL(url).host : '';
}
