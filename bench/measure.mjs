import { readFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK']).toString());

/** User and system CPU of a process so far, in milliseconds (proc(5), fields 14 and 15). */
export function cpuMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / ticksPerSecond) * 1000;
}

/** Calls `call` with `inFlight` callers for `ms`; latencies in ms, sorted. */
export async function load(call, { inFlight, ms }) {
  const latencies = [];
  const until = performance.now() + ms;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (performance.now() < until) {
        const from = performance.now();
        await call();
        latencies.push(performance.now() - from);
      }
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  latencies.sort((a, b) => a - b);
  return {
    calls: latencies.length,
    perSecond: latencies.length / seconds,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
  };
}

export function quantile(sorted, q) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

/** Rows of equal-width columns. */
export function printTable(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => String(row[column]).length)));
  for (const row of rows)
    console.log(
      row
        .map((cell, column) =>
          column === 0 ? String(cell).padEnd(widths[column]) : String(cell).padStart(widths[column]),
        )
        .join('  '),
    );
}
