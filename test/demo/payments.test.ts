import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serveJson } from '../../demo/http.ts';
import { Journal } from '../../demo/journal.ts';
import { Ledger } from '../../demo/payments/ledger.ts';
import { paymentRoutes } from '../../demo/payments/routes.ts';

const KEY = 'demo_key';
const REFUND = { payment: 'pay_1001', amount: 1250 };

describe('the demo’s payment provider', () => {
  let folder: string;
  let journal: string;
  let stop: () => Promise<void>;
  let baseUrl: string;

  const start = async (): Promise<void> => {
    const server = serveJson([paymentRoutes(new Ledger(new Journal(journal)), KEY)]).listen(0, '127.0.0.1');
    await once(server, 'listening');
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    stop = async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    };
  };
  const call = async (method: string, target: string, body?: unknown, headers: Record<string, string> = {}) => {
    const reply = await fetch(`${baseUrl}${target}`, {
      method,
      headers: { authorization: `Bearer ${KEY}`, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
  };

  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'demo-'));
    journal = path.join(folder, 'payments.jsonl');
    await start();
  });
  afterEach(async () => {
    await stop();
    rmSync(folder, { recursive: true });
  });

  it('refunds once for each key, and is asked by id and by key', async () => {
    const first = await call('POST', '/refunds', REFUND, { 'idempotency-key': 'eff_1' });
    expect(first).toMatchObject({ status: 201, body: { ...REFUND, currency: 'usd', state: 'succeeded' } });
    expect(await call('POST', '/refunds', REFUND, { 'idempotency-key': 'eff_1' })).toEqual(first);
    expect((await call('GET', `/refunds/${String(first.body['id'])}`)).body).toEqual(first.body);
    expect((await call('GET', '/refunds/by-key/eff_1')).body).toEqual(first.body);
    expect((await call('GET', '/payments/pay_1001')).body).toMatchObject({ amount: 12_500, refunded: 1250 });
  });

  it('makes the refund whose answer it loses', async () => {
    await call('PUT', '/switches', { loseAnswers: 1 });
    await expect(call('POST', '/refunds', REFUND, { 'idempotency-key': 'eff_1' })).rejects.toThrow('fetch failed');
    expect((await call('GET', '/refunds/by-key/eff_1')).body).toMatchObject(REFUND);
    expect((await call('GET', '/switches')).body).toEqual({ loseAnswers: 0, hideRefunds: false });
  });

  it('hides its refunds until it is told to show them', async () => {
    await call('PUT', '/switches', { hideRefunds: true });
    const { body } = await call('POST', '/refunds', REFUND, { 'idempotency-key': 'eff_1' });
    expect((await call('GET', '/refunds/by-key/eff_1')).status).toBe(404);
    await call('PUT', '/switches', { hideRefunds: false });
    expect((await call('GET', '/refunds/by-key/eff_1')).body).toEqual(body);
  });

  it('knows its refunds after a restart, and forgets the half line of a killed process', async () => {
    await call('POST', '/refunds', REFUND, { 'idempotency-key': 'eff_1' });
    await stop();
    appendFileSync(journal, '{"id":"re_half');
    await start();
    expect((await call('GET', '/refunds')).body).toMatchObject({ refunds: [REFUND] });
    await call('POST', '/refunds', REFUND);
    expect(readFileSync(journal, 'utf8').trim().split('\n')).toHaveLength(2);
  });

  it.each([
    ['a wrong key', 'GET', '/payments', undefined, { authorization: 'Bearer no' }, 401, 'unauthorized'],
    ['an unknown payment', 'POST', '/refunds', { ...REFUND, payment: 'pay_0' }, {}, 404, 'no_such_payment'],
    ['more than is left', 'POST', '/refunds', { ...REFUND, amount: 12_501 }, {}, 422, 'too_large'],
    ['an amount of nothing', 'POST', '/refunds', { ...REFUND, amount: 0 }, {}, 400, 'invalid'],
    ['a path that is not there', 'GET', '/refunds/a/b/c', undefined, {}, 404, 'not_found'],
  ])('refuses %s', async (_, method, target, body, headers, status, code) => {
    expect(await call(method, target, body, headers)).toMatchObject({ status, body: { error: { code } } });
  });

  it('refuses a key that was used for another refund', async () => {
    await call('POST', '/refunds', REFUND, { 'idempotency-key': 'eff_1' });
    const other = await call('POST', '/refunds', { ...REFUND, amount: 1 }, { 'idempotency-key': 'eff_1' });
    expect(other).toMatchObject({ status: 409, body: { error: { code: 'key_reused' } } });
  });
});
