// `npm start`: installs and builds where that is needed, then runs the embedded stack in this very process.
import { prepareOrExit } from './prepare.mjs';

prepareOrExit();
const { main } = await import('../dist/embedded/main.js');
await main();
