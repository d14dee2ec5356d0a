// Histograms of times: differences, and bins as wide as a chart can show.
import type { Histogram } from "../generated/kinloop/v1/event_pb";

export interface Bin {
  /** On a logarithmic scale: the bin ends at 10^(end / perDecade) ns. */
  end: number;
  count: number;
}

export const kPerDecade = 12;

/** What came since an earlier one: bins are where they were, counts only grow. */
export function since(now: Histogram, before: Histogram | undefined): { atMost_ns: number; count: number }[] {
  const old = new Map<bigint, bigint>();
  before?.atMostNs.forEach((edge, i) => old.set(edge, before.count[i] ?? 0n));
  return now.atMostNs
    .map((edge, i) => ({ atMost_ns: Number(edge), count: Number((now.count[i] ?? 0n) - (old.get(edge) ?? 0n)) }))
    .filter((bin) => bin.count > 0);
}

export function logBins(fine: { atMost_ns: number; count: number }[]): Bin[] {
  const bins = new Map<number, number>();
  for (const { atMost_ns, count } of fine) {
    const end = Math.ceil(kPerDecade * Math.log10(Math.max(1, atMost_ns)) - 1e-9);
    bins.set(end, (bins.get(end) ?? 0) + count);
  }
  return [...bins].map(([end, count]) => ({ end, count })).sort((a, b) => a.end - b.end);
}

/** The edge below which at least this share of all lies. */
export function quantile(fine: { atMost_ns: number; count: number }[], share: number): number {
  const total = fine.reduce((sum, bin) => sum + bin.count, 0);
  const sorted = [...fine].sort((a, b) => a.atMost_ns - b.atMost_ns);
  let seen = 0;
  for (const bin of sorted) {
    seen += bin.count;
    if (seen >= share * total) return bin.atMost_ns;
  }
  return NaN;
}
