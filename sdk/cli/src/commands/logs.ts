import type { Client, Invocation } from 'agent-action-runtime-sdk';
import { EXIT, type ExitCode } from '../exit.ts';
import { clientOf, commandLine, definedOf, type CommonOptions } from '../session.ts';
import { matched, plain, table, type Terminal } from '../terminal.ts';
import { describeInvocation, exitOf } from './invoke.ts';

export interface LogsOptions extends CommonOptions {
  action?: string;
  status?: Invocation['status'];
  grade?: Invocation['grade'];
  invocation?: string;
  limit: number;
  wait: number;
}

export async function showLogs(options: LogsOptions, terminal: Terminal): Promise<ExitCode> {
  const client = clientOf(options, terminal);
  if (options.invocation !== undefined) return showOne(client, options.invocation, options, terminal);
  const { action, status, grade, limit } = options;
  const query = {
    limit: Math.min(limit, 100),
    ...definedOf({ action, status, grade }),
  };
  const found: Invocation[] = [];
  for await (const invocation of client.pages('/api/v2/actions/invocations', { query })) {
    found.push(invocation as Invocation);
    if (found.length === limit) break;
  }
  if (options.json === true) {
    terminal.print(JSON.stringify(found));
    return EXIT.ok;
  }
  const rows = found.map((one) => [
    one.createdAt,
    one.status,
    one.grade,
    plain(one.action.name),
    one.id,
    one.effectId ?? '',
  ]);
  terminal.print(
    rows.length === 0
      ? matched('Nothing that was invoked', { action, status, grade }, 'Nothing was invoked yet.')
      : table([['TIME', 'STATUS', 'GRADE', 'ACTION', 'INVOCATION', 'RECEIPT'], ...rows]),
  );
  const unknown = found.find((one) => one.status === 'unknown' && one.effectId !== null);
  if (unknown !== undefined)
    terminal.print(
      `Next: ${commandLine(options, `effects show ${unknown.effectId}`)}   (its outcome is unknown: do not run it again)`,
    );
  return EXIT.ok;
}

async function showOne(client: Client, id: string, options: LogsOptions, terminal: Terminal): Promise<ExitCode> {
  const { wait, json } = options;
  const invocation = await client.waitForInvocation(id, { seconds: wait, signal: terminal.signal });
  terminal.print(json === true ? JSON.stringify(invocation) : describeInvocation(invocation, options));
  return exitOf(invocation.status);
}
