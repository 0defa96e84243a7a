import { z } from 'zod';
import { listToolActions } from '../../db/actions/queries.ts';
import { TOOL_FORMATS } from '../../domain/tools/formats.ts';
import { likeOfGlob } from '../../domain/glob.ts';
import { anyJson } from '../http/common-fields.ts';
import { type AnyRoute, defineRoute } from '../http/define-route.ts';
import { exportInTurns } from './export-in-turns.ts';

const GLOBS_MAX = 20;
const GLOB = /^[a-z0-9_.*?-]{1,64}$/;

const globs = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => [given].flat().flatMap((text) => text.split(',')))
  .pipe(
    z
      .array(z.string().regex(GLOB, 'must be a name of an action, in which * and ? stand for any characters'))
      .max(GLOBS_MAX),
  )
  .optional()
  .describe(`Names of actions, in which \`*\` and \`?\` stand for any characters: at most ${GLOBS_MAX}, after commas.`);

const query = z.strictObject({
  format: z.enum(TOOL_FORMATS).describe('Whose API the definitions are for.'),
  actions: globs,
});

const exportSchema = z
  .strictObject({
    tools: z.array(z.record(z.string(), anyJson)).describe("Definitions as the format's own API takes them."),
    names: z.record(z.string(), z.string()).describe('The action of each tool, by the name of the tool.'),
    dropped: z
      .array(
        z.strictObject({
          tool: z.string(),
          path: z.string().describe('JSON Pointer into the input schema of the action.'),
          keyword: z.string(),
          reason: z.string(),
        }),
      )
      .describe('What the format does not take. The service checks every input by the whole schema all the same.'),
  })
  .meta({ id: 'ToolExport' });

export const exportToolsRoute = defineRoute({
  of: 'environment',
  id: 'actions.exportTools',
  method: 'GET',
  path: '/api/v2/actions/tools',
  summary: 'Export actions as tool definitions',
  description:
    'The live actions by name, as definitions for the API of OpenAI (Chat Completions), of Anthropic (Messages), or for MCP. A tool ' +
    'has the name of its action where the format takes it; `names` maps each back, and is the same on every page.\n\n' +
    'A schema is reduced to what the format takes. It then accepts at least what the action accepts, and `dropped` says what was left out.',
  scope: 'actions:read',
  role: 'member',
  request: { query },
  response: { 200: exportSchema },
  async list(tx, { query: { format, actions = [] }, page }) {
    const { items, total } = await listToolActions(tx, { ...page, patterns: actions.map(likeOfGlob) });
    const exported = await exportInTurns(items, format);
    const data = {
      tools: exported.map(({ tool }) => tool),
      names: Object.fromEntries(exported.map(({ name, action }) => [name, action])),
      dropped: exported.flatMap(({ dropped }) => dropped),
    };
    return { items: data, total };
  },
});

export const toolRoutes: AnyRoute[] = [exportToolsRoute];
