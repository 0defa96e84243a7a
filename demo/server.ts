import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { echoRoutes } from './echoes.ts';
import { serveJson } from './http.ts';
import { Journal } from './journal.ts';
import { Ledger } from './payments/ledger.ts';
import { paymentRoutes } from './payments/routes.ts';
import { slackRoutes } from './slack/routes.ts';

/**
 * The demo's targets, in a process of its own that `npm start` runs: an echo, a payment provider and a workspace of Slack. All require
 * a credential. The first two keep what they did in a journal, Slack until the process ends. Arguments: files of journals and
 * credentials, and the port on the loopback.
 */
const text = { type: 'string' } as const;
const { values } = parseArgs({
  options: {
    port: text,
    journal: text,
    credential: text,
    'payments-journal': text,
    'payments-credential': text,
    'slack-webhook-token': text,
    'slack-signing-secret': text,
  },
});

serveJson([
  ({ path }) => (path === '/healthz' ? { status: 200, body: { status: 'up' } } : null),
  echoRoutes(new Journal(given('journal')), readCredential('credential')),
  paymentRoutes(new Ledger(new Journal(given('payments-journal'))), readCredential('payments-credential')),
  slackRoutes({
    webhookToken: readCredential('slack-webhook-token'),
    signingSecret: readCredential('slack-signing-secret'),
    credential: readCredential('payments-credential'),
  }),
]).listen(Number(given('port')), '127.0.0.1');

for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => process.exit(0));

function given(name: keyof typeof values): string {
  const value = values[name];
  if (value === undefined) throw new Error(`--${name} is missing`);
  return value;
}

function readCredential(name: keyof typeof values): string {
  return readFileSync(given(name), 'utf8').trim();
}
