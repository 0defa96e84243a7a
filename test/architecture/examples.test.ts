import { describe, expect, test } from 'vitest';
import { VARIABLES } from '../../domain/configuration/configuration.ts';
import { brokenExamples, variablesOfExamples } from './example-rules.ts';
import { loadTree, report, type SourceFile } from './source-tree.ts';

const TREE = loadTree();
const PORT = VARIABLES.PORT.default;

const PLANTED_PAGE: SourceFile = {
  path: 'docs/identity.md',
  text: '## What the examples use\n\n| Variable | What |\n| --- | --- |\n| `BASE` | x |\n| `AGENT`, `PAYMENTS` | x |\n',
};

/** The violations of a page with this example. */
function found(example: string, text = '', path = 'docs/context.md'): string {
  const page = { path, text: `${text}\n\n\`\`\`sh\n${example}\n\`\`\`\n` };
  return report(brokenExamples([PLANTED_PAGE, page], PORT));
}

describe('the examples of the pages', () => {
  test('use variables, programs and addresses that a reader has', () => {
    expect(report(brokenExamples(TREE, PORT))).toBe('');
  });

  test('docs/identity.md names the variables that npm run env prints', () => {
    const command = TREE.find(({ path }) => path === 'embedded/commands/print-env.ts')?.text ?? '';
    const printed = [...command.matchAll(/^ {4}([A-Z_]+): /gm)].map(([, name]) => name);
    expect(printed).toContain('PUBLISHER');
    expect(variablesOfExamples(TREE)).toEqual(printed);
  });

  test.each([
    ['curl $BASE_URL/api/v2/files', /\$BASE_URL/],
    ['curl -H "Authorization: Bearer $KEY" $BASE/mcp', /\$KEY/],
    ['curl $BASE/${ID}', /\$ID/],
    ['curl $BASE/x | jq -r .data.id', /jq/],
    ['ID=$(curl $BASE/x | field .id)', /field/],
    ['curl http://127.0.0.1:3000/mcp', /port 3000/],
  ])('a broken one is found: %s', (example, says) => {
    expect(found(example)).toMatch(says);
  });

  test.each([
    ['curl -H "Authorization: Bearer $AGENT" $BASE/mcp; cd $PWD', ''],
    ["field() { node; }\nID=$(curl $PAYMENTS/x | field .id)\ncurl '$ID'", ''],
    ['cat ${DATA_DIR:-.local}/x; curl $BASE/$EFFECT', 'where `$EFFECT` is an id'],
    ['curl http://127.0.0.1:8080/mcp http://127.0.0.1:4010/refunds', ''],
  ])('a good one is left alone: %s', (example, text) => {
    expect(found(example, text)).toBe('');
  });

  test('a quick start goes on from what their README sets', () => {
    const begin = { path: 'docs/quickstarts/README.md', text: '```sh\nexport API_KEY=$AGENT\n```\n' };
    const page = { path: 'docs/quickstarts/openai.md', text: '```sh\necho $API_KEY\n```\n' };
    expect(report(brokenExamples([PLANTED_PAGE, begin, page], PORT))).toBe('');
    expect(found('echo $API_KEY')).toMatch(/API_KEY/);
  });
});
