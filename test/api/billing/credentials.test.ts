import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { getStripeConfigRoute } from '../../../api/billing/plan-routes.ts';
import { projectRoot } from '../../../process/project-root.ts';

/** Where secrets of our own, of deliveries, are shown once: none is of a payment provider. */
const OWN_SIGNING_SECRETS = ['signing-keys/routes.ts', 'events/schemas.ts', 'reference/examples.json'];

const shown = (publishableKey?: string) =>
  getStripeConfigRoute.read?.({} as never, { deps: { ...(publishableKey && { publishableKey }) } } as never);

describe('a credential of the payment provider', () => {
  it('stands nowhere in the API: no secret key, no restricted key, no secret of its webhooks', () => {
    const api = path.join(projectRoot(), 'api');
    const files = readdirSync(api, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /\.(ts|json|html|js)$/.test(file),
    );
    expect(files.length).toBeGreaterThan(200);
    const found = files.flatMap((file) => {
      const text = readFileSync(path.join(api, file), 'utf8');
      const secrets = OWN_SIGNING_SECRETS.includes(file) ? /\b[sr]k_/g : /\b[sr]k_|whsec_/g;
      return [...text.matchAll(secrets)].map(([match]) => `${file}: ${match}`);
    });
    expect(found).toEqual([]);
  });

  it.each([
    ['pk_live_51Example', 'live'],
    ['pk_test_51Example', 'test'],
  ])('that is publishable is shown with its mode, while nothing is enabled: %s', async (key, mode) => {
    expect(await shown(key)).toEqual({ enabled: false, publishableKey: key, mode });
  });

  it('is absent where none is configured', async () => {
    expect(await shown()).toEqual({ enabled: false, publishableKey: null, mode: null });
  });
});
