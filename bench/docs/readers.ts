import { Agent, get } from 'node:http';

/** Readers in a process of their own: so many pages a second, evenly, until the parent asks how many were answered. */
const TICK_MS = 1;
const CONNECTIONS_MAX = 64;
/** What is not answered by then is not added to: the readers wait as browsers do. */
const OPEN_MAX = 500;

const [baseUrl = '', rate = '0', ...paths] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS_MAX });
const startedAt = performance.now();
let asked = 0;
let answered = 0;

const timer = setInterval(() => {
  const due = ((performance.now() - startedAt) / 1_000) * Number(rate);
  while (asked < due && asked - answered < OPEN_MAX) read(asked++);
}, TICK_MS);

function read(number: number): void {
  get(
    `${baseUrl}${paths[number % paths.length] ?? ''}`,
    { agent, headers: { 'accept-encoding': 'br' } },
    (response) => {
      if (response.statusCode !== 200) throw new Error(`a page was answered ${response.statusCode}`);
      response.resume().once('end', () => answered++);
    },
  );
}

process.once('message', () => {
  clearInterval(timer);
  process.send?.(answered, () => process.exit(0));
});
