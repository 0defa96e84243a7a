/** One `sh` block of a page, and the `json` block behind it that shows what the command prints. */
export interface Step {
  /** The heading that it stands under. */
  heading: string;
  /** The text between the block before and this one, without headings. */
  prose: string;
  command: string;
  /** What its output must hold; null where the page does not show it. */
  expected: unknown;
  /** In the page, counted from 1. */
  line: number;
}

const BLOCK = /^```(\w+)\n([\s\S]*?)^```$/gm;

/**
 * Reads the commands of a Markdown page, in their order.
 *
 * @throws {Error} where a `json` block follows no command, or is not JSON.
 */
export function readSteps(page: string): Step[] {
  const steps: Step[] = [];
  let heading = '';
  let end = 0;
  for (const { index, 0: whole, 1: language, 2: text = '' } of page.matchAll(BLOCK)) {
    const between = page.slice(end, index);
    heading = [...between.matchAll(/^#+ (.+)$/gm)].at(-1)?.[1] ?? heading;
    const line = page.slice(0, index).split('\n').length;
    end = index + whole.length;
    if (language === 'sh') {
      const prose = between.replaceAll(/^#+ .+$/gm, '').trim();
      steps.push({ heading, prose, command: text.trimEnd(), expected: null, line });
    } else if (language === 'json') {
      const step = steps.at(-1);
      if (step === undefined || step.expected !== null) throw new Error(`line ${line}: no command prints this block`);
      step.expected = JSON.parse(text);
    }
  }
  return steps;
}
