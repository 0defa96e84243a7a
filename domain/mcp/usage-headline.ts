interface ToldUsage {
  resetsAt: string;
  items: readonly { meter: string; used: number; workspace: { used: number; limit: number | 'unlimited' } }[];
  budget: {
    caps: { total?: number | undefined };
    used: { total: number };
    reserved: { total: number };
    unit: string;
  } | null;
}

/** One line: what is left of each allowance of the workspace, what the key's budget still admits, and when both begin again. */
export function headlineOfUsage({ resetsAt, items, budget }: ToldUsage): string {
  const meters = items.map(({ meter, workspace: { used, limit } }) => `${meter} ${used} of ${limit}`);
  return `USAGE of the workspace this month: ${meters.join(', ')}. ${budgetText(budget)} All begin again at ${resetsAt}.`;
}

function budgetText(budget: ToldUsage['budget']): string {
  if (budget === null) return 'This key has no budget.';
  const { caps, used, reserved, unit } = budget;
  const taken = `${used.total} ${unit} are used and ${reserved.total} reserved`;
  return caps.total === undefined
    ? `This key's budget caps single kinds; ${taken}.`
    : `This key's budget: ${taken} of ${caps.total}.`;
}
