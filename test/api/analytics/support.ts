import type { CallResult, TestApi } from '../harness/test-api.ts';

/** Reads of one environment's analytics with a key of `analytics:read` alone. */
export class Analytics {
  private readonly api: TestApi;
  private readonly key: string;

  constructor(api: TestApi, key: string) {
    [this.api, this.key] = [api, key];
  }

  /** `path` is what stands behind `/api/v2/analytics/`, with its query. */
  get(path: string, headers: Record<string, string> = {}): Promise<CallResult> {
    return this.api.call('GET', `/api/v2/analytics/${path}`, { key: this.key, headers });
  }

  /** `data`, as the caller says that it is: the API's own test checks every reply by its route's schema. */
  async data<Data>(path: string): Promise<Data> {
    const { status, text, json } = await this.get(path);
    if (status !== 200) throw new Error(`${path} answered ${status} ${text}`);
    return (json as { data: Data }).data;
  }

  /** The parameter of the query that the 400 names, or the reply where it is another one. */
  async refusalOf(path: string): Promise<string> {
    const { status, text } = await this.get(path);
    return (status === 400 ? /"query\.(\w+)"/.exec(text)?.[1] : undefined) ?? `${path} answered ${status} ${text}`;
  }

  /** The rows of the CSV, with the header first. */
  async csv(path: string): Promise<string[]> {
    const { status, headers, text } = await this.get(path, { Accept: 'text/csv' });
    if (status !== 200 || headers.get('content-type')?.startsWith('text/csv') !== true)
      throw new Error(`${path} answered ${status} ${headers.get('content-type')} ${text}`);
    return text.trimEnd().split('\r\n');
  }
}
