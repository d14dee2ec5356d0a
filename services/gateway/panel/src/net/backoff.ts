// How long to wait before the next attempt: doubles up to a bound, scattered so that pages do not return all at once.
export class Backoff {
  private attempts = 0;

  constructor(
    private readonly first_ms = 250,
    private readonly max_ms = 5000,
    private readonly random: () => number = Math.random,
  ) {}

  next_ms(): number {
    const whole = Math.min(this.max_ms, this.first_ms * 2 ** Math.min(this.attempts, 16));
    ++this.attempts;
    return whole * (0.75 + 0.25 * this.random());
  }

  reset(): void {
    this.attempts = 0;
  }
}
