// Rows of numbers over time, the oldest forgotten.

export class Ring {
  private readonly times: Float64Array;
  private readonly values: Float32Array;
  private start = 0;
  private used = 0;

  constructor(
    readonly columns: number,
    readonly capacity: number,
  ) {
    this.times = new Float64Array(capacity);
    this.values = new Float32Array(capacity * columns);
  }

  get length(): number {
    return this.used;
  }

  get lastTime(): number {
    return this.used === 0 ? -Infinity : this.time(this.used - 1);
  }

  clear(): void {
    this.start = this.used = 0;
  }

  /** Time must not go back: where it does (reset, restore) what is known belongs to another course. */
  push(time: number, row: ArrayLike<number>): void {
    if (time < this.lastTime) this.clear();
    if (time === this.lastTime) return;
    const at = (this.start + this.used) % this.capacity;
    this.times[at] = time;
    for (let k = 0; k < this.columns; ++k) this.values[at * this.columns + k] = row[k] ?? NaN;
    if (this.used < this.capacity) ++this.used;
    else this.start = (this.start + 1) % this.capacity;
  }

  time(i: number): number {
    return this.times[(this.start + i) % this.capacity] as number;
  }

  value(i: number, column: number): number {
    return this.values[((this.start + i) % this.capacity) * this.columns + column] as number;
  }

  /** The first row at or after a time. */
  find(time: number): number {
    let low = 0;
    let high = this.used;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.time(middle) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
