// Made-up times of a well-behaved host: most steps alike, a few late ones.
const kPeriod_ns = 1_000_000;
const kPerDecade = 40;

function normal() {
  return Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
}

class Counts {
  bins = new Map();
  min = Infinity;
  max = 0;
  sum = 0;
  n = 0;
  add(ns) {
    const edge = Math.round(10 ** (Math.ceil(kPerDecade * Math.log10(Math.max(1, ns))) / kPerDecade));
    this.bins.set(edge, (this.bins.get(edge) ?? 0) + 1);
    this.min = Math.min(this.min, ns);
    this.max = Math.max(this.max, ns);
    this.sum += ns;
    ++this.n;
  }
  histogram() {
    const sorted = [...this.bins].sort((a, b) => a[0] - b[0]);
    return { atMostNs: sorted.map(([edge]) => edge), count: sorted.map(([, count]) => count) };
  }
  spread() {
    const sorted = [...this.bins].sort((a, b) => a[0] - b[0]);
    const share = (p) => {
      let seen = 0;
      for (const [edge, count] of sorted) if ((seen += count) >= p * this.n) return Math.min(edge, Math.round(this.max));
      return 0;
    };
    return { min: Math.round(this.min), mean: this.sum / this.n, p50: share(0.5), p99: share(0.99), p999: share(0.999), max: Math.round(this.max) };
  }
}

export class Times {
  wakeup = new Counts();
  execution = new Counts();
  slack = new Counts();
  worst = [];
  steps = 0;
  overruns = 0;

  add(step, isLate = false) {
    const wakeup = Math.exp(Math.log(6500) + 0.35 * normal()) * (Math.random() < 1e-3 ? 4 : 1);
    const execution = Math.exp(Math.log(185_000) + 0.12 * normal()) + (isLate ? kPeriod_ns : 0);
    this.wakeup.add(wakeup);
    this.execution.add(execution);
    this.slack.add(Math.max(1, kPeriod_ns - wakeup - execution));
    ++this.steps;
    if (isLate) ++this.overruns;
    this.worst.push({ step, wakeupNs: Math.round(wakeup), executionNs: Math.round(execution) });
    if (this.worst.length > 64) this.trim();
  }
  trim() {
    this.worst.sort((a, b) => b.wakeupNs + b.executionNs - a.wakeupNs - a.executionNs);
    this.worst.length = Math.min(this.worst.length, 10);
  }
  message() {
    this.trim();
    return {
      steps: this.steps, periodNs: kPeriod_ns, wakeupNs: this.wakeup.spread(), executionNs: this.execution.spread(), slackNs: this.slack.spread(),
      periodSpreadNs: this.wakeup.spread(), overruns: this.overruns, pageFaults: 0, preemptions: 3, wakeup: this.wakeup.histogram(),
      execution: this.execution.histogram(), slack: this.slack.histogram(), worst: this.worst,
    };
  }
}
