import type { Client, schemas } from 'agent-action-runtime-sdk';
import { EXIT, UnansweredChangeError, UsageError, type ExitCode } from '../exit.ts';
import { clientOf, commandLine, type CommonOptions } from '../session.ts';
import { parseExactJson } from '../exact-json.ts';
import type { Terminal } from '../terminal.ts';
import { exitOfOutcome } from '../receipt-report.ts';
import { report, requireEffectId } from './effects.ts';
import { describeInvocation, isUnanswered } from './invoke.ts';

type Resolution = schemas['ResolveRequest'];

export interface ResolveOptions extends CommonOptions {
  outcome: Resolution['outcome'];
  summary: string;
  partialEffect?: NonNullable<Resolution['partialEffect']>;
  settledImpact?: string;
  providerId?: readonly string[];
  url?: string;
}

/** Reads the provider now. Nothing is sent again. */
export async function reconcileEffect(id: string, options: CommonOptions, terminal: Terminal): Promise<ExitCode> {
  requireEffectId(id, options);
  const client = clientOf(options, terminal);
  const effect = await answered(id, options, () =>
    client.call('POST', '/api/v2/actions/effects/{id}/reconcile', { path: { id } }),
  );
  return report(effect, options, terminal);
}

/** Sends the same bytes under the same idempotency key, if the adapter allows it. Exit codes as for `invoke`. */
export async function replayEffect(id: string, options: CommonOptions, terminal: Terminal): Promise<ExitCode> {
  requireEffectId(id, options);
  const client = clientOf(options, terminal);
  const effect = await answered(id, options, () =>
    client.call('POST', '/api/v2/actions/effects/{id}/replay', { path: { id } }),
  );
  return report(effect, options, terminal, effect.outcome === 'failed' ? EXIT.notOk : exitOfOutcome(effect));
}

export async function noteEffect(
  id: string,
  note: string,
  options: CommonOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  requireEffectId(id, options);
  const client = clientOf(options, terminal);
  const effect = await answered(id, options, () =>
    client.call('POST', '/api/v2/actions/effects/{id}/notes', { path: { id }, body: { note } }),
  );
  return report(effect, options, terminal, EXIT.ok);
}

/** Records permanently what a person found out about an effect, or about an invocation of an ungoverned action. */
export async function resolveOutcome(id: string, options: ResolveOptions, terminal: Terminal): Promise<ExitCode> {
  const body = resolutionOf(options);
  const client = clientOf(options, terminal);
  if (id.startsWith('inv_')) return resolveInvocation(client, id, { body, options, terminal });
  requireEffectId(id, options);
  const effect = await answered(id, options, () =>
    client.call('POST', '/api/v2/actions/effects/{id}/resolve', { path: { id }, body }),
  );
  return report(effect, options, terminal, EXIT.ok);
}

async function resolveInvocation(
  client: Client,
  id: string,
  { body, options, terminal }: { body: Resolution; options: ResolveOptions; terminal: Terminal },
): Promise<ExitCode> {
  const invocation = await client.call('POST', '/api/v2/actions/invocations/{id}/resolve', { path: { id }, body });
  terminal.print(options.json === true ? JSON.stringify(invocation) : describeInvocation(invocation, options));
  return EXIT.ok;
}

/** @throws {UsageError} */
function resolutionOf(options: ResolveOptions): Resolution {
  const { outcome, summary, partialEffect, settledImpact, providerId = [], url } = options;
  return {
    outcome,
    ...(partialEffect === undefined ? {} : { partialEffect }),
    ...(settledImpact === undefined ? {} : { settledImpact: quantitiesOf(settledImpact) }),
    evidence: {
      summary,
      ...(providerId.length === 0 ? {} : { providerIds: Object.fromEntries(providerId.map(nameAndValue)) }),
      ...(url === undefined ? {} : { url }),
    },
  };
}

function quantitiesOf(text: string): NonNullable<Resolution['settledImpact']> {
  try {
    const value = parseExactJson(text);
    if (Array.isArray(value)) return value as NonNullable<Resolution['settledImpact']>;
  } catch {
    // Said below, with the form.
  }
  throw new UsageError(
    `--settled-impact is a JSON list, such as '[{"dimension":"money","currency":"usd","amount":250,"bound":"exact"}]'.`,
  );
}

function nameAndValue(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw new UsageError(`--provider-id is <name>=<id>, such as refund=re_1, and not ${text}.`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** @throws {UnansweredChangeError} when no reply says whether the change was made: the receipt shows it. */
async function answered<T>(id: string, options: CommonOptions, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    throw isUnanswered(error) ? new UnansweredChangeError(commandLine(options, `effects show ${id}`), error) : error;
  }
}
