import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import type { Configuration } from '../../domain/configuration/configuration.ts';
import { temporalConnectionOptions } from '../../domain/temporal-connection.ts';
import { builtWorkflowBundle } from '../../worker.ts';
import { runCommand } from './run-command.ts';

const USAGE = 'Usage: npm run replay -- --workflow-id <id> [--run-id <id>], for example --workflow-id invocation/inv_…';
/** The default address of `npm start`. */
const EMBEDDED_ADDRESS = '127.0.0.1:7233';

/**
 * `npm run replay`: fetches a workflow's history from the server and replays it on the code of today. It executes nothing:
 * a replay calls no activity. It fails if the code would do something other than the history records.
 */
await runCommand(async (configuration) => {
  const { values } = parseArgs({ options: { 'workflow-id': { type: 'string' }, 'run-id': { type: 'string' } } });
  const workflowId = values['workflow-id'];
  if (workflowId === undefined) throw new Error(USAGE);
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const address = configuration.TEMPORAL_ADDRESS ?? runningAddress(configuration);
  const connection = await Connection.connect(
    temporalConnectionOptions(address, configuration, (file) => readFileSync(file)),
  );
  try {
    const client = new Client({ connection, namespace: configuration.TEMPORAL_NAMESPACE });
    const handle = client.workflow.getHandle(workflowId, values['run-id']);
    const history = await handle.fetchHistory();
    const workflowBundle = { codePath: builtWorkflowBundle() };
    await Worker.runReplayHistory({ workflowBundle }, history, workflowId);
    const type = history.events?.[0]?.workflowExecutionStartedEventAttributes?.workflowType?.name ?? 'unknown';
    return `${workflowId}: ${history.events?.length ?? 0} events of ${type} replay on this code.`;
  } finally {
    await connection.close();
  }
});

/** The address that the embedded stack of this folder recorded. */
function runningAddress(configuration: Configuration<'setup'>): string {
  const file = path.join(configuration.DATA_DIR, 'credentials.json');
  if (!existsSync(file)) return EMBEDDED_ADDRESS;
  return (JSON.parse(readFileSync(file, 'utf8')) as { temporalAddress: string }).temporalAddress;
}
