import { expect, test } from 'vitest';
import { passkeyPlaceOf } from '../../../domain/passkeys/passkey-place.ts';

const LOCAL = 'http://localhost:3000';

test.each([
  ['https://agents.example.com', null, 'agents.example.com', 'https://agents.example.com'],
  ['https://agents.example.com:8443', 'http://10.0.0.1', 'agents.example.com', 'https://agents.example.com:8443'],
  [LOCAL, 'http://127.0.0.1:3000', 'localhost', LOCAL],
  ['http://127.0.0.1:3000', LOCAL, 'localhost', LOCAL],
  [null, LOCAL, 'localhost', LOCAL],
])('a service at %s has passkeys for a page of %s', (publicOrigin, asking, rpId, origin) => {
  expect(passkeyPlaceOf(publicOrigin, asking)).toEqual({ rpId, origin });
});

test.each([
  ['http://127.0.0.1:3000', 'http://127.0.0.1:3000', /127\.0\.0\.1 is an IP address\. Open http:\/\/localhost:3000/],
  ['http://[::1]:3000', null, /IP address\. Open http:\/\/localhost:3000/],
  [null, 'http://127.0.0.1:3000', /Open http:\/\/localhost:3000/],
  ['https://192.0.2.7', LOCAL, /192\.0\.2\.7 is an IP address\. .*localhost/],
  ['http://agents.example.com', null, /need HTTPS/],
  [null, 'https://agents.example.com', /PUBLIC_URL/],
  [null, null, /PUBLIC_URL/],
])('a service at %s has none for a page of %s, and says why', (publicOrigin, asking, problem) => {
  expect(passkeyPlaceOf(publicOrigin, asking)).toEqual({ problem: expect.stringMatching(problem) as string });
});
