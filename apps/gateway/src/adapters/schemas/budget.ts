/** The check of one argument text took longer than a check may take. */
export class BudgetSpent extends Error {
  constructor() {
    super('the schema takes too long to check');
  }
}

/** Bounds one check at a time: validators are synchronous, so the running check is the only one. */
export class Budget {
  private endAt = Infinity;
  private patternSteps = 0;

  constructor(
    private readonly bounds: { readonly checkMs: number; readonly patternSteps: number },
    private readonly now: () => number = () => performance.now(),
  ) {}

  begin(): void {
    this.endAt = this.now() + this.bounds.checkMs;
    this.patternSteps = this.bounds.patternSteps;
  }

  /** Asked wherever a reference was followed: only there the work can outgrow schema and arguments. */
  checkpoint(): void {
    if (this.now() > this.endAt) throw new BudgetSpent();
  }

  spendPattern(steps: number): void {
    this.patternSteps -= steps;
    if (this.patternSteps < 0) throw new BudgetSpent();
    this.checkpoint();
  }
}
