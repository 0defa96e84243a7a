/** Stops the parts in the reverse order of their start. */
export class Stops {
  private readonly stops: (() => Promise<void>)[] = [];
  add(stop: () => Promise<void>): void {
    this.stops.push(stop);
  }
  /** If a part fails to stop, the others are still stopped; the first failure is thrown at the end. */
  async run(): Promise<void> {
    const failures: unknown[] = [];
    for (let stop = this.stops.pop(); stop !== undefined; stop = this.stops.pop()) {
      try {
        await stop();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
