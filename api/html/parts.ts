import { consolePath } from '../../domain/console-links.ts';
import type { ServiceError } from '../../domain/errors.ts';
import { exactText, SHORT_BYTES_MAX } from './exact-text.ts';
import { markup, type Markup, type MarkupValue } from './markup.ts';

/** Parts that several pages are made of. */

export function section(title: string, content: MarkupValue): Markup {
  return markup`<section><h2>${exactText(title, SHORT_BYTES_MAX)}</h2>
${content}
</section>
`;
}

/** A row without a value is omitted. */
export function facts(rows: readonly (readonly [name: string, value: MarkupValue])[]): Markup {
  const shown = rows.filter(([, value]) => value !== null && value !== undefined && value !== false);
  return markup`<dl>${shown.map(([name, value]) => markup`<dt>${exactText(name, SHORT_BYTES_MAX)}</dt><dd>${value}</dd>`)}</dl>`;
}

/** UTC, because readers are in different time zones. */
export function timeOf(moment: Date): Markup {
  const iso = moment.toISOString();
  return markup`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC</time>`;
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** "in 3 hours", "2 days ago" */
export function distanceOf(moment: Date, now: Date): string {
  const seconds = Math.round((moment.getTime() - now.getTime()) / 1_000);
  const [unit, length] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? (['second', 1] as const);
  return new Intl.RelativeTimeFormat('en', { numeric: 'always' }).format(Math.trunc(seconds / length), unit);
}

/** People know the name; the small id is for searching. */
export function named(name: string | null, id: string | null): Markup {
  const shownId = id !== null && id !== name && markup`<code class="id">${exactText(id, SHORT_BYTES_MAX)}</code>`;
  return markup`${name !== null && markup`${exactText(name, SHORT_BYTES_MAX)} `}${shownId}`;
}

/** A record by its id, as a link to its screen of the console, which needs JavaScript. */
export function inConsole(environmentId: string, screen: string, id: string): Markup {
  return markup`<a href="${consolePath(environmentId, `${screen}/${encodeURIComponent(id)}`)}">${named(null, id)}</a>`;
}

export function jsonText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/** The API's text names its own members, which pages show in other words. */
export function reasonOnPage({ publicMessage }: ServiceError): string {
  return publicMessage.replace(/: see `approvers`\..*$/s, '.');
}

/** "Production", "Berlin (production)": adds the kind unless the name says it. */
export function environmentText({ name, kind }: { name: string; kind: string }): string {
  return name.toLowerCase().includes(kind) ? name : `${name} (${kind})`;
}
