import { EXIT, type ExitCode } from '../exit.ts';
import { clientOf, type CommonOptions } from '../session.ts';
import { plain, table, type Terminal } from '../terminal.ts';

/** Every live action that the key can see. */
export async function listActions(options: CommonOptions & { name?: string }, terminal: Terminal): Promise<ExitCode> {
  const client = clientOf(options, terminal);
  const query = options.name === undefined ? {} : { name: options.name };
  const actions = [];
  for await (const action of client.pages('/api/v2/actions', { query: { limit: 100, ...query } })) actions.push(action);
  if (options.json === true) {
    terminal.print(JSON.stringify(actions));
    return EXIT.ok;
  }
  if (actions.length === 0) {
    terminal.print(
      'There is no action yet.\nNext: define one, or import an OpenAPI document (docs/actions.md, docs/import.md)',
    );
    return EXIT.ok;
  }
  const rows = actions.map(({ name, governed, description }) => [
    plain(name),
    governed ? 'governed' : 'plain',
    plain(description ?? '').slice(0, 80),
  ]);
  terminal.print(table([['ACTION', 'KIND', 'DESCRIPTION'], ...rows]));
  terminal.print("Next: agent-actions invoke <action> --input '{…}'");
  return EXIT.ok;
}
