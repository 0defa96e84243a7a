import { expect, it } from 'vitest';
import type { RawResponse } from '../../../../activities/adapters/http-request/exchange.ts';
import { readResponse, type ReadResponse } from '../../../../activities/adapters/http-request/read-response.ts';

function readJson(text: string): Promise<ReadResponse> {
  const raw: RawResponse = { status: 200, headers: [['content-type', 'application/json']], body: Buffer.from(text) };
  return readResponse(raw, ['sk_live_51HxQz']);
}

it.each<[string, string, unknown]>([
  ['an id', '{"id": 9007199254740993}', { id: '9007199254740993' }],
  ['elements', '[-9007199254740993,9007199254740992]', ['-9007199254740993', '9007199254740992']],
  ['the whole body', '9007199254740993', '9007199254740993'],
  ['one that no number holds', `{"n":${'9'.repeat(400)}}`, { n: '9'.repeat(400) }],
])('an integer that a number would round is kept as its digits: %s', async (_, text, body) => {
  expect(await readJson(text)).toMatchObject({ response: { body, bodyEncoding: 'json' }, unreadable: null });
});

it.each([
  '[9007199254740991,-9007199254740991,1e20,0.1,12345678901234567890.5,-0]',
  '{"9007199254740993":"9007199254740993"}',
  String.raw`["a \" 9007199254740993","\\",1,"\\\" 9007199254740993 \\"]`,
])('all else is what JSON.parse makes of it: %s', async (text) => {
  expect((await readJson(text)).response).toMatchObject({ body: JSON.parse(text) as unknown, bodyEncoding: 'json' });
});

it.each(['{9007199254740993: 1}', '[9007199254740993', '[+9007199254740993]', '[09007199254740993]'])(
  'what is not JSON does not become it by an integer that is kept as text: %s',
  async (text) => {
    expect(await readJson(text)).toEqual({
      response: expect.objectContaining({ body: text, bodyEncoding: 'utf8' }) as unknown,
      unreadable: 'its body says that it is JSON and cannot be read as that',
    });
  },
);

it('one text of 10,000,000 characters is read', async () => {
  const text = 'x'.repeat(10_000_000);
  const { response, unreadable } = await readJson(`{"file": "${text}", "id": 9007199254740993}`);
  expect(unreadable).toBeNull();
  expect(response.body).toEqual({ file: text, id: '9007199254740993' });
});
