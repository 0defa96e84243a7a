import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { echoRoutes } from './echoes.ts';
import { serveJson } from './http.ts';
import { Journal } from './journal.ts';
import { Ledger } from './payments/ledger.ts';
import { paymentRoutes } from './payments/routes.ts';

/**
 * The demo's targets, in a process of its own that `npm start` runs: an echo and a payment provider. Both require a credential and
 * remember what they did. Arguments: files of journals and credentials, and the port on the loopback.
 */
const text = { type: 'string' } as const;
const { values } = parseArgs({
  options: { port: text, journal: text, credential: text, 'payments-journal': text, 'payments-credential': text },
});

serveJson([
  ({ path }) => (path === '/healthz' ? { status: 200, body: { status: 'up' } } : null),
  echoRoutes(new Journal(given('journal')), readCredential('credential')),
  paymentRoutes(new Ledger(new Journal(given('payments-journal'))), readCredential('payments-credential')),
]).listen(Number(given('port')), '127.0.0.1');

for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => process.exit(0));

function given(name: keyof typeof values): string {
  const value = values[name];
  if (value === undefined) throw new Error(`--${name} is missing`);
  return value;
}

function readCredential(name: 'credential' | 'payments-credential'): string {
  return readFileSync(given(name), 'utf8').trim();
}
