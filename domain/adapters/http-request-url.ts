import { portOf } from '../own-endpoints.ts';

const URL_LENGTH_MAX = 16_384;

export type FinishedUrl = { ok: true; href: string; url: URL } | { ok: false; message: string };

/**
 * Adds the query to a rendered URL and checks it: http or https, no credentials, no fragment. The pairs are encoded.
 */
export function finishUrl(base: string, pairs: readonly string[]): FinishedUrl {
  if (!URL.canParse(base)) return { ok: false, message: 'does not become a URL with this input' };
  const url = new URL(base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return { ok: false, message: 'must begin with http:// or https://' };
  }
  if (url.username !== '' || url.password !== '') return { ok: false, message: 'must not carry credentials' };
  url.hash = '';
  const bare = url.href.replace(/\?$/, '');
  const joint = bare.includes('?') ? '&' : '?';
  const href = pairs.length === 0 ? bare : `${bare}${joint}${pairs.join('&')}`;
  if (href.length <= URL_LENGTH_MAX) return { ok: true, href, url };
  return { ok: false, message: `becomes longer than ${URL_LENGTH_MAX} characters with this input` };
}

/** An entry with a port allows that port, one without allows any; `*.` stands for one or more labels. */
export function isAllowedHost(url: URL, allowedHosts: readonly string[]): boolean {
  const port = String(portOf(url));
  return allowedHosts.some((entry) => {
    const [, name = '', wantedPort] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    if (wantedPort !== undefined && wantedPort !== port) return false;
    return name.startsWith('*.') ? url.hostname.endsWith(name.slice(1)) : url.hostname === name;
  });
}
