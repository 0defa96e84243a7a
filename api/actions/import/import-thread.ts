import { parentPort, workerData } from 'node:worker_threads';
import type { ImportJob } from '../../threads/import-job.ts';
import { runImportJob } from './run-import-job.ts';

// The entry of the thread that `ImportPlanner` starts for one import, and that ends with it.
if (parentPort === null) throw new Error('import-thread is started as a worker thread');
parentPort.postMessage(runImportJob(workerData as ImportJob), []);
