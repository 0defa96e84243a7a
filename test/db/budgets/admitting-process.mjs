// One of several processes that admit to the same budget at once, over plain connections, until all are asked for.
// Arguments: url, workspace id, environment id, key id, first number, how many. Prints what was answered, by verdict.
import { Client } from 'pg';

const [url, workspaceId, environmentId, apiKeyId, first, count] = process.argv.slice(2);
const CONNECTIONS = 5;
const AMOUNT = 10_000;
const answered = { admitted: 0, exceeded: 0 };
let next = Number(first);
const end = next + Number(count);

async function work() {
  const client = new Client({ connectionString: url });
  await client.connect();
  while (next < end) {
    const invocationId = `inv_${String(next++).padStart(22, '0')}`;
    await client.query('BEGIN');
    await client.query(`SELECT set_config('app.workspace_id', $1, true), set_config('app.environment_id', $2, true)`, [
      workspaceId,
      environmentId,
    ]);
    // Two kinds have a row each: it is their sum that the budget caps, and no row of theirs is locked for the other.
    const [kind, reserves] = next % 2 === 0 ? ['invocations', invocationId] : ['messages', null];
    const { rows } = await client.query('SELECT verdict FROM admit_to_budget($1, $2, $3, $4)', [
      apiKeyId,
      kind,
      AMOUNT,
      reserves,
    ]);
    await client.query('COMMIT');
    answered[rows[0].verdict]++;
    if (answered.admitted === 1 && answered.exceeded === 0) process.stdout.write('begun\n');
  }
  await client.end();
}

await Promise.all(Array.from({ length: CONNECTIONS }, work));
process.stdout.write(`${JSON.stringify(answered)}\n`);
