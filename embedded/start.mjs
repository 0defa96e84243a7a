// `npm start`: installs and builds where that is needed, then runs the embedded stack in this very process.
import { prepareOrExit } from './prepare.mjs';

// npm itself, since the script says `exec`. Asked before anything that takes time: npm may be gone after it.
const npmPid = process.env.npm_lifecycle_event === 'start' ? process.ppid : null;
prepareOrExit();
const { main } = await import('../dist/embedded/main.js');
await main({ npmPid });
