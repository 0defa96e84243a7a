import { fileURLToPath } from 'node:url';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { announceReady } from '../invoke/child.ts';
import { bareActivities } from './bare-activities.ts';
import type { WorkerTask } from './side.ts';

/** A worker as the SDK's guide starts it, in a process of its own. Arguments: its task, namespace, task queue. */
const [text = '', namespace = '', taskQueue = ''] = process.argv.slice(2);
const task = JSON.parse(text) as WorkerTask;
Runtime.install({ logger: new DefaultLogger('WARN') });
const connection = await NativeConnection.connect({ address: task.address });
const worker = await Worker.create({
  connection,
  namespace,
  taskQueue,
  workflowsPath: fileURLToPath(new URL('./bare.workflow.js', import.meta.url)),
  activities: bareActivities(task),
});
announceReady({ port: 0 });
await worker.run();
await connection.close();
