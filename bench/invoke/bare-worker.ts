import { fileURLToPath } from 'node:url';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { bareActivities } from './bare-activities.ts';
import { announceReady } from './child.ts';

/** A worker as the SDK's guide starts it, in a process of its own. Arguments: address, namespace, task queue. */
const [address = '', namespace = '', taskQueue = ''] = process.argv.slice(2);
Runtime.install({ logger: new DefaultLogger('WARN') });
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({
  connection,
  namespace,
  taskQueue,
  workflowsPath: fileURLToPath(new URL('./bare.workflow.js', import.meta.url)),
  activities: bareActivities,
});
announceReady({ port: 0 });
await worker.run();
await connection.close();
