// The script of the page that browser-suite.ts opens: what a program in a browser does with the SDK. It answers what JSON can carry.
import { createClient, verifyDelivery, verifyReceipt } from 'agent-action-runtime-sdk';

/** The value, or what a caller reads of the error. */
function outcomeOf(work) {
  return work().then(
    (value) => ({ value }),
    ({ name, code, status, reason, missing }) => ({ error: { name, code, status, reason, missing } }),
  );
}

function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

globalThis.plays = {
  /** An agent whose service has the address of the page itself. */
  async agent({ apiKey }) {
    const client = createClient({ baseUrl: location.origin, apiKey });
    await client.requireScopes(['actions:invoke', 'actions:read']);
    const invocation = await client.invoke('demo.echo', { message: 'from a browser' }, { wait: 30 });
    const effect = await client.call('GET', '/api/v2/actions/effects/{id}', { path: { id: invocation.effectId } });
    const listed = [];
    for await (const { id } of client.pages('/api/v2/actions/invocations', { query: { limit: 1 } })) {
      listed.push(id);
      if (listed.length === 2) break;
    }
    const reading = { path: { id: 'inv_0000000000000000000000' } };
    return {
      invocation,
      listed,
      receipt: await verifyReceipt(effect),
      lacking: await outcomeOf(() => client.requireScopes(['approvals:decide'])),
      missing: await outcomeOf(() => client.call('GET', '/api/v2/actions/invocations/{id}', reading)),
    };
  },

  /** The same client, with the service at another origin than the page. */
  elsewhere: ({ baseUrl, apiKey }) => outcomeOf(() => createClient({ baseUrl, apiKey }).identity()),

  deliveries: (vectors) =>
    Promise.all(
      vectors.map(({ headers, body, bodyBase64, now, secret, environmentId, options }) =>
        outcomeOf(() =>
          verifyDelivery(headers, body ?? bytesOf(bodyBase64), {
            secret,
            environmentId,
            now: () => now * 1_000,
            ...options,
          }),
        ),
      ),
    ),

  receipts: (vectors) => Promise.all(vectors.map(({ effect, keptHead }) => verifyReceipt(effect, keptHead))),
};
