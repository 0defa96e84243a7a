// `npm start`: installs and builds if needed, then runs the embedded stack in this process.
import { prepareOrExit } from './prepare.mjs';

// The parent is npm itself, because the script uses `exec`. Read before any slow step, after which npm may be gone.
const npmPid = process.env.npm_lifecycle_event === 'start' ? process.ppid : null;
prepareOrExit();
const { main } = await import('../dist/embedded/main.js');
await main({ npmPid });
