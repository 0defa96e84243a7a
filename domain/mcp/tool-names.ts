/** The tools that the MCP endpoint has whatever actions there are, in the order of its list. */
export const OWN_TOOL_NAMES = [
  'search_actions',
  'describe_action',
  'preview_action',
  'invoke_action',
  'get_invocation',
  'get_effect',
  'publish_message',
  'search_memory',
  'remember',
  'get_usage',
] as const;
export type OwnToolName = (typeof OWN_TOOL_NAMES)[number];

const RESERVED_NAMES: ReadonlySet<string> = new Set(OWN_TOOL_NAMES);

/** Whether an action of this name cannot be pinned: its tool would have the name of one of ours. */
export function isReservedToolName(name: string): boolean {
  return RESERVED_NAMES.has(name);
}
