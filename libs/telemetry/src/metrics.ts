import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Values a label may take: a closed list, or the first `max` that come. Every other value is counted as `other`. */
export type LabelValues = readonly string[] | { readonly max: number };

export type Labels = Readonly<Record<string, LabelValues>>;

export interface MetricOptions<L extends Labels> {
  /** Without the prefix `uar_`. */
  readonly name: string;
  readonly help: string;
  readonly labels: L;
}

export type LabelsOf<L extends Labels> = { readonly [name in keyof L]: string };

export interface Metrics {
  counter<L extends Labels>(options: MetricOptions<L>): { add(labels: LabelsOf<L>, count?: number): void };
  /** `buckets` are upper bounds in the unit that the name ends in. */
  histogram<L extends Labels>(
    options: MetricOptions<L> & { buckets: readonly number[] },
  ): { observe(labels: LabelsOf<L>, value: number): void };
  /** `read` is asked at each scrape. */
  gauge(options: { name: string; help: string; read: () => number }): void;
  /** The Prometheus text format. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** A registry of one service. `process` adds memory, CPU and event loop of the process it runs in. */
export function createMetrics(service: string, options: { process?: boolean } = {}): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  if (options.process === true) collectDefaultMetrics({ register: registry });
  return {
    counter({ name, help, labels }) {
      const bound = bounded(labels);
      const counter = new Counter({
        name: `uar_${name}`,
        help,
        labelNames: bound.names,
        registers: [registry],
      });
      return { add: (values, count = 1) => counter.inc(bound.of(values), count) };
    },
    histogram({ name, help, labels, buckets }) {
      const bound = bounded(labels);
      const histogram = new Histogram({
        name: `uar_${name}`,
        help,
        labelNames: bound.names,
        buckets: [...buckets],
        registers: [registry],
      });
      return { observe: (values, value) => histogram.observe(bound.of(values), value) };
    },
    gauge({ name, help, read }) {
      new Gauge({
        name: `uar_${name}`,
        help,
        registers: [registry],
        collect() {
          this.set(read());
        },
      });
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

interface Bounded {
  readonly names: string[];
  of(values: Readonly<Record<string, string>>): Record<string, string>;
}

function bounded(labels: Labels): Bounded {
  const names = Object.keys(labels);
  const seen = new Map(names.map((name) => [name, new Set<string>()]));
  const admit = (name: string, value: string): string => {
    const allowed = labels[name];
    if (allowed === undefined) return 'other';
    if (!('max' in allowed)) return allowed.includes(value) ? value : 'other';
    const values = seen.get(name);
    if (values === undefined) return 'other';
    if (values.size < allowed.max) values.add(value);
    return values.has(value) ? value : 'other';
  };
  return {
    names,
    of: (values) => Object.fromEntries(names.map((name) => [name, admit(name, values[name] ?? 'other')])),
  };
}
