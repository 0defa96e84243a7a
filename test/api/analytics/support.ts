import { expect } from 'vitest';
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
    expect(status, text).toBe(200);
    return (json as { data: Data }).data;
  }

  /** Expects a 400 that names this parameter of the query. */
  async refuses(path: string, parameter: string): Promise<void> {
    const { status, text } = await this.get(path);
    expect([path, status, text]).toEqual([path, 400, expect.stringContaining(`"query.${parameter}"`)]);
  }

  /** The rows of the CSV, with the header first. */
  async csv(path: string): Promise<string[]> {
    const { status, headers, text } = await this.get(path, { Accept: 'text/csv' });
    expect([status, headers.get('content-type')]).toEqual([200, expect.stringMatching(/^text\/csv/)]);
    return text.trimEnd().split('\r\n');
  }
}
