/** Stands for a URL in analytics: origin and path. The user information, query and fragment are nobody's who reads numbers. */
export function destinationOf(url: string): string {
  if (!URL.canParse(url)) return url.replace(/[?#].*$/s, '');
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
