/** Work that may be done in parts: it yields wherever other work may have its turn. */
export type InSteps<Result> = Generator<void, Result, void>;

/** All of it in one go. */
export function atOnce<Result>(steps: InSteps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
