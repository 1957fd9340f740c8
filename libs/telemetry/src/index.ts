export { createLog, type Log, type LogLevel, type LogOptions } from './log.js';
export {
  createMetrics,
  type Labels,
  type LabelsOf,
  type LabelValues,
  type MetricOptions,
  type Metrics,
} from './metrics.js';
export { redactTokens } from './redact.js';
