// What `npm start -- --help` prints. Plain JavaScript without dependencies: nothing is installed or built for it.
export const START_USAGE = `npm start: PostgreSQL, Temporal, the API and a worker on this machine, until Ctrl-C.

It takes no options. Variables of the environment configure it, such as: DATA_DIR=../second PORT=8081 npm start

  DATA_DIR          the folder of databases, keys and logs (.local). One stack at a time runs on it; remove it to begin from nothing
  PORT              the port of the API and of the pages in the browser (8080)
  TEMPORAL_PORT     the port of Temporal (7233)
  TEMPORAL_UI_PORT  the port of Temporal's UI (8233)
  POSTGRES_PORT     the port of PostgreSQL (a free one)
  EGRESS_ALLOW      the addresses of this machine and its networks that actions may call

0 takes a free port. All variables: docs/reference/configuration.md. The first start installs, builds and fetches what is missing, which
takes a few minutes; a later one takes seconds.`;

/** Answers null where the stack starts, else what is printed and the exit code. */
export function replyTo(args) {
  if (args.length === 0) return null;
  if (args.every((arg) => arg === '--help' || arg === '-h')) return { text: START_USAGE, exitCode: 0 };
  const unknown = args.filter((arg) => arg !== '--help' && arg !== '-h');
  return { text: `npm start takes no ${unknown.join(' ')}.\n\n${START_USAGE}`, exitCode: 2 };
}
