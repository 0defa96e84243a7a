import {
  ApiError,
  ConnectionError,
  UnexpectedReplyError,
  type Approval,
  type Client,
  type Identity,
} from 'agent-action-runtime-sdk';
import { EXIT, InterruptedError, UsageError, type ExitCode } from '../exit.ts';
import { clientOf, commandLine, type CommonOptions } from '../session.ts';
import { plain, type Terminal } from '../terminal.ts';

const LOOK_EVERY_MS = 5_000;

/** Shows each approval that waits for a decision once, until Ctrl-C and across outages; `once` shows only the present ones. */
export async function watchApprovals(
  options: CommonOptions & { once?: boolean },
  terminal: Terminal,
): Promise<ExitCode> {
  const client = clientOf(options, terminal);
  const { signal } = terminal;
  const shown = new Set<string>();
  let identity: Identity | null = null;
  const look = async (): Promise<void> => {
    if (options.json !== true) identity ??= await client.identity();
    for (const { id } of await pending(client, signal)) {
      if (shown.has(id)) continue;
      const approval = await read(client, id, signal); // whole: a list shortens
      shown.add(id);
      terminal.print(
        options.json === true
          ? JSON.stringify(approval)
          : `${describe(approval)}\nNext: ${nextOf(approval, identity, options)}\n`,
      );
    }
  };
  let isAway = false;
  try {
    do {
      try {
        await look();
        isAway = false;
      } catch (error) {
        if (options.once === true || !isOutage(error)) throw error;
        if (!isAway && options.json !== true) terminal.printError('The service does not answer. Looking on.');
        isAway = true;
      }
    } while (options.once !== true && !(await isAborted(signal, LOOK_EVERY_MS)));
  } catch (error) {
    if (error instanceof InterruptedError) return EXIT.ok;
    throw error;
  }
  if (options.once === true && shown.size === 0 && options.json !== true)
    terminal.print('Nothing waits for a decision.');
  return EXIT.ok;
}

/** The requester cannot agree, and not every key decides. */
function nextOf({ id, preventSelf, requestedBy }: Approval, identity: Identity | null, options: CommonOptions): string {
  if (preventSelf && requestedBy.id !== null && requestedBy.id === identity?.keyId)
    return `this key asked for it: somebody else decides, agent-actions approvals approve ${id} with another key`;
  if (identity?.scopes.includes('approvals:decide') === false)
    return `this key decides nothing (it lacks approvals:decide): agent-actions approvals approve ${id} with another key`;
  return commandLine(options, `approvals approve ${id}`);
}

/** Passes by itself or is repaired: a watch continues. */
function isOutage(error: unknown): boolean {
  if (error instanceof ApiError) return error.status >= 500 || error.status === 429;
  return error instanceof ConnectionError || error instanceof UnexpectedReplyError;
}

async function pending(client: Client, signal: AbortSignal): Promise<{ id: string }[]> {
  const found: { id: string }[] = [];
  const query = { status: 'pending', limit: 100 } as const;
  for await (const approval of client.pages('/api/v2/approvals', { query, signal })) found.push(approval);
  return found.toReversed(); // oldest first
}

function read(client: Client, id: string, signal?: AbortSignal): Promise<Approval> {
  const interruptible = signal === undefined ? {} : { signal };
  return client.call('GET', '/api/v2/approvals/{id}', { path: { id }, ...interruptible });
}

export interface DecideOptions extends CommonOptions {
  digest?: string;
  note?: string;
}

/** Agrees to exactly what is shown, by its digest. */
export async function approve(id: string, options: DecideOptions, terminal: Terminal): Promise<ExitCode> {
  const client = clientOf(options, terminal);
  const approval = await read(client, id);
  const bindingDigest = options.digest ?? (await confirmed(approval, options, terminal));
  const note = options.note === undefined ? {} : { note: options.note };
  return decided(await client.approve(id, { bindingDigest, ...note }), options, terminal);
}

export async function deny(
  id: string,
  options: DecideOptions & { note: string },
  terminal: Terminal,
): Promise<ExitCode> {
  const client = clientOf(options, terminal);
  return decided(await client.deny(id, { note: options.note }), options, terminal);
}

/** Asks for a confirmation. Without a person to ask, the digest must be named: it was read elsewhere. */
async function confirmed(approval: Approval, options: CommonOptions, terminal: Terminal): Promise<string> {
  const { json } = options;
  if (json !== true) terminal.print(describe(approval));
  const named = commandLine(options, `approvals approve ${approval.id} --digest ${approval.bindingDigest}`);
  if (json === true || terminal.ask === null)
    throw new UsageError(`Nothing was decided. Read the approval, and then run: ${named}`);
  const answer = await terminal.ask('Agree to exactly this? Type yes: ');
  if (answer.trim().toLowerCase() !== 'yes') throw new UsageError('Nothing was decided.');
  return approval.bindingDigest;
}

function decided(approval: Approval, options: CommonOptions, terminal: Terminal): ExitCode {
  const { json } = options;
  const { id, status, quorum, invocationId } = approval;
  if (json === true) terminal.print(JSON.stringify(approval));
  else {
    const lacking = quorum.required - quorum.received;
    const next =
      status === 'pending'
        ? `${lacking} more must agree`
        : invocationId === null
          ? null
          : commandLine(options, `logs --invocation ${invocationId} --wait 60`);
    terminal.print(
      [
        `${id} is ${status}: ${quorum.received} of ${quorum.required} agreed.`,
        ...(next === null ? [] : [`Next: ${next}`]),
      ].join('\n'),
    );
  }
  return status === 'pending' ? EXIT.waiting : EXIT.ok;
}

function describe(approval: Approval): string {
  const { id, status, title, summary, bindingDigest, policy, quorum, expiresAt, preview, payload, allowances, url } =
    approval;
  const shown = preview === null ? payload : preview.request;
  return [
    `${id}  ${status}  ${plain(title)}`,
    plain(summary),
    ...(policy.reason === null || policy.reason === undefined ? [] : [`why       ${plain(policy.reason)}`]),
    `agreed    ${quorum.received} of ${quorum.required}, until ${expiresAt}`,
    ...allowances.map(
      ({ name, available, requested, cap }) =>
        `limit     ${plain(name)}: ${requested} of ${available} left (cap ${cap})`,
    ),
    ...(url === null ? [] : [`page      ${url}`]),
    'exactly:',
    ...plain(JSON.stringify(shown, null, 2))
      .split('\n')
      .map((line) => `  ${line}`),
    `digest    ${bindingDigest}`,
  ].join('\n');
}

function isAborted(signal: AbortSignal, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve(signal.aborted);
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}
