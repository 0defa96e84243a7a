import { announceReady } from '../invoke/child.ts';
import { startBenchApi } from '../start-api.ts';
import { localEmbedder } from './embedder.ts';

/** The API in a process of its own, with the local embeddings. Its argument is the URL of the application's login. */
const POOL_MAX = 20;
const [databaseUrl = ''] = process.argv.slice(2);
announceReady({ port: await startBenchApi(databaseUrl, POOL_MAX, localEmbedder()) });
