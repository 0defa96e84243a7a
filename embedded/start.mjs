// `npm start`: installs and builds if needed, then runs the embedded stack in this process.
import { replyTo } from './start-usage.mjs';

const reply = replyTo(process.argv.slice(2));
if (reply === null) await start();
else {
  (reply.exitCode === 0 ? console.log : console.error)(reply.text);
  process.exitCode = reply.exitCode;
}

async function start() {
  // The parent is npm itself, because the script uses `exec`. Read before any slow step, after which npm may be gone.
  const npmPid = process.env.npm_lifecycle_event === 'start' ? process.ppid : null;
  const { prepareOrExit } = await import('./prepare.mjs');
  await prepareOrExit();
  const { main } = await import('../dist/embedded/main.js');
  await main({ npmPid });
}
