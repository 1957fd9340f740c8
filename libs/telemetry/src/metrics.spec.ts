import { describe, expect, it } from 'vitest';
import { createMetrics } from './index.js';

describe('metrics', () => {
  it('count by labels and name the service', async () => {
    const metrics = createMetrics('gateway');
    const calls = metrics.counter({
      name: 'calls_total',
      help: 'Calls.',
      labels: { outcome: ['completed', 'tool_error'] },
    });
    calls.add({ outcome: 'completed' });
    calls.add({ outcome: 'completed' }, 2);
    expect(await metrics.text()).toContain('uar_calls_total{outcome="completed",service="gateway"} 3');
  });

  it('fold label values that were not declared into one', async () => {
    const metrics = createMetrics('gateway');
    const calls = metrics.counter({
      name: 'calls_total',
      help: 'Calls.',
      labels: { outcome: ['completed'], server: { max: 2 } },
    });
    for (let index = 0; index < 50; index++)
      calls.add({ outcome: `made up ${index}`, server: `server-${index}` });
    const lines = (await metrics.text()).split('\n').filter((line) => line.startsWith('uar_calls_total{'));
    expect(lines).toEqual([
      'uar_calls_total{outcome="other",server="server-0",service="gateway"} 1',
      'uar_calls_total{outcome="other",server="server-1",service="gateway"} 1',
      'uar_calls_total{outcome="other",server="other",service="gateway"} 48',
    ]);
  });

  it('keep histograms and read gauges at each scrape', async () => {
    const metrics = createMetrics('mcp-connector');
    const seconds = metrics.histogram({ name: 'call_seconds', help: 'Time.', labels: {}, buckets: [0.1, 1] });
    let inFlight = 1;
    metrics.gauge({ name: 'in_flight', help: 'Now.', read: () => inFlight });
    seconds.observe({}, 0.5);
    expect(await metrics.text()).toContain('uar_call_seconds_bucket{le="1",service="mcp-connector"} 1');
    inFlight = 7;
    expect(await metrics.text()).toContain('uar_in_flight{service="mcp-connector"} 7');
  });

  it('add the process when asked', async () => {
    expect(await createMetrics('a', { process: true }).text()).toContain('process_cpu_seconds_total');
    expect(await createMetrics('b').text()).not.toContain('process_');
  });
});
