import { Client } from '@temporalio/client';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { namespaceOptions, sealedPayloads } from '../../process/payload-sealing.ts';
import { workflowIdOf } from '../workflow-ids.ts';
import { historyFiles, readHistory, replayHistory, type ReplayOptions, workflowTypeOf } from '../replay-histories.ts';
import { withTemporal } from '../with-temporal.ts';
import { runCommand } from './run-command.ts';

const USAGE = `Replays histories on the code of this checkout. A replay calls no activity, and sends nothing.

Usage:
  npm run replay -- --workflow-id <id> [--run-id <id>]   inv_… stands for invocation/inv_…; so do apr_…, eff_…, att_…, msg_… and prv_…
  npm run replay -- --file <file or folder>              histories as JSON, such as the Temporal UI downloads
  npm run replay -- --query <list filter> [--limit <n>]  for example --query 'WorkflowType = "invokeAction"'; 100 by default
  npm run replay -- --help

It ends with exit code 1 where a history does not replay, and names the event that the code does not make.`;
const QUERY_LIMIT = '100';
const TEXT = { type: 'string' } as const;
const ARGUMENTS = {
  options: {
    'workflow-id': TEXT,
    'run-id': TEXT,
    file: TEXT,
    query: TEXT,
    limit: { ...TEXT, default: QUERY_LIMIT },
  },
} as const;

interface Source {
  name: string;
  read: () => Promise<ReturnType<typeof readHistory>>;
}

await runCommand(USAGE, ARGUMENTS, async (configuration, { values }) => {
  const { 'workflow-id': id, file, query } = values;
  if ([id, file, query].filter((given) => given !== undefined).length !== 1) throw new Error(USAGE);
  const options = sealedPayloads(configuration.TEMPORAL_PAYLOAD_KEYS);
  if (file !== undefined)
    return replayAll(
      options,
      historyFiles(file).map((name) => ({ name, read: () => Promise.resolve(readHistory(name)) })),
    );
  return withTemporal(configuration, async (connection) => {
    const client = new Client({ connection, ...namespaceOptions(configuration) });
    if (query !== undefined) return replayAll(options, await found(client, query, limitOf(values.limit)));
    const name = workflowIdOf(id ?? '');
    return replayAll(options, [{ name, read: () => client.workflow.getHandle(name, values['run-id']).fetchHistory() }]);
  });
});

/** Replays all of them, also after a failure, so that one run lists every failure. */
async function replayAll(options: ReplayOptions, sources: readonly Source[]): Promise<string> {
  if (sources.length === 0) throw new Error('There is no history to replay.');
  const lines: string[] = [];
  const failures: string[] = [];
  let isQuiet = false;
  for (const { name, read } of sources) {
    try {
      const history = await read();
      // Before the first replay and no earlier: a runtime without a worker keeps the process alive.
      if (!isQuiet) quietRuntime();
      isQuiet = true;
      const events = await replayHistory(history, name, options);
      lines.push(`${name}: ${events} events of ${workflowTypeOf(history)} replay on this code.`);
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error));
    }
  }
  if (failures.length > 0)
    throw new Error([...lines, ...failures, `${failures.length} of ${sources.length} failed.`].join('\n'));
  return lines.join('\n');
}

/** Failures are reported once, by replayAll. */
function quietRuntime(): void {
  Runtime.install({
    logger: new DefaultLogger('ERROR', () => undefined),
    telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' }, forward: {} } },
  });
}

async function found(client: Client, query: string, limit: number): Promise<Source[]> {
  const sources: Source[] = [];
  try {
    for await (const { workflowId, runId } of client.workflow.list({ query })) {
      sources.push({ name: workflowId, read: () => client.workflow.getHandle(workflowId, runId).fetchHistory() });
      if (sources.length === limit) break;
    }
  } catch (error) {
    const { cause, message } = error as Error;
    throw new Error(`--query: ${cause instanceof Error ? cause.message : message}`, { cause: error });
  }
  return sources;
}

function limitOf(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new Error('--limit must be a whole number of at least 1');
  return Number(text);
}
