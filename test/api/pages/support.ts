import { randomUUID } from 'node:crypto';
import { approvalPath } from '../../../domain/console-links.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { type CallResult, call, type TestApi } from '../harness/test-api.ts';
import { type Approval, approvalIn } from '../approvals/support.ts';

export interface Answer extends CallResult {
  location: string | null;
}

/** A browser without script: it keeps cookies, sends an Origin with forms, and follows nothing by itself. */
export class Visitor {
  readonly cookies = new Map<string, string>();
  private readonly api: Pick<TestApi, 'baseUrl'>;

  constructor(api: Pick<TestApi, 'baseUrl'>, cookies: Record<string, string> = {}) {
    this.api = api;
    for (const [name, value] of Object.entries(cookies)) this.cookies.set(name, value);
  }

  get(path: string): Promise<Answer> {
    return this.send('GET', path, {});
  }

  post(path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Answer> {
    const raw = new URLSearchParams(fields).toString();
    const all = { Origin: this.api.baseUrl, 'Content-Type': 'application/x-www-form-urlencoded', ...headers };
    return this.send('POST', path, { raw, headers: all });
  }

  /** Sends the only form of the page with this button, as the page has it, with what was typed. */
  async submit(path: string, typed: Record<string, string>): Promise<Answer> {
    const { text } = await this.get(path);
    return this.post(path, { ...hiddenFields(text.slice(text.lastIndexOf('<form'))), ...typed });
  }

  private async send(method: string, path: string, options: { raw?: string; headers?: Record<string, string> }) {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(cookie === '' ? {} : { Cookie: cookie }), ...options.headers };
    const answer = await call(`${this.api.baseUrl}${path}`, method, { ...options, headers });
    for (const line of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = line.split(';')[0]?.split('=') ?? [];
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return { ...answer, location: answer.headers.get('Location') };
  }
}

export function hiddenFields(text: string): Record<string, string> {
  const found = [...text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)];
  return Object.fromEntries(found.map(([, name = '', value = '']) => [name, decoded(value)]));
}

/** What a browser reads of escaped text: the marks of unseen characters are elements and add no text. */
export function decoded(text: string): string {
  const entities: Record<string, string> = {
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    '#39': "'",
    '#96': '`',
    '#13': '\r',
  };
  return text.replaceAll(/<[^>]*>/g, '').replaceAll(/&([#\w]+);/g, (_, name: string) => entities[name] ?? '?');
}

/** The text of the element with this id. */
export function textOfId(page: string, id: string): string {
  const [, content = ''] = new RegExp(`<code[^>]* id="${id}"[^>]*>([\\s\\S]*?)</code>`).exec(page) ?? [];
  return decoded(content);
}

/** A free-standing approval that a key of the development environment asked for. */
export async function openApproval(api: TestApi, key: string, overrides: JsonObject = {}): Promise<Approval> {
  const body = { title: `Ship ${randomUUID()}`, summary: 'Ships it.', payload: { version: 1 }, ...overrides };
  return approvalIn(await api.call('POST', '/api/v2/approvals', { key, body }));
}

export function pathOf(api: TestApi, { id }: Pick<Approval, 'id'>): string {
  return approvalPath(api.database.tenant.environmentId, id);
}
