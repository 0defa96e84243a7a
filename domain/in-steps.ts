/** Work in steps: it yields wherever other work may run. */
export type InSteps<Result> = Generator<void, Result, void>;

export function atOnce<Result>(steps: InSteps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
