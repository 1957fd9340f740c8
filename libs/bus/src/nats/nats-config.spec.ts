import { readFileSync } from 'node:fs';
import { connectNats } from './connect-nats.js';
import { natsDeploymentConfig, natsPasswordVariable, natsServerConfig } from './nats-config.js';
import { permissionsOf, serviceNames } from '../core/rights.js';
import { topology } from '@uar/contracts';
import { natsMissing, newPasswords, startNatsServer } from '@uar/testkit';
import { describe, expect, it } from 'vitest';

describe('permissions', () => {
  it('know every service of the topology', () => {
    expect([...serviceNames].sort()).toEqual(Object.keys(topology).sort());
  });

  it('let a service publish to inboxes of those only whom it answers', () => {
    const inboxes = (service: 'gateway' | 'mcp-connector' | 'approval-service') =>
      permissionsOf(service).publish.filter((subject) => subject.startsWith('uar.inbox.'));
    expect(inboxes('gateway')).toEqual(
      ['approval-service', 'gateway', 'mcp-connector'].map((asker) => `uar.inbox.${asker}.>`),
    );
    expect(inboxes('mcp-connector')).toEqual(
      ['catalog-registry', 'gateway', 'governance-decider'].map((asker) => `uar.inbox.${asker}.>`),
    );
    expect(inboxes('approval-service')).toEqual(
      ['catalog-registry', 'gateway', 'governance-decider', 'mcp-connector', 'native-tool-host'].map(
        (asker) => `uar.inbox.${asker}.>`,
      ),
    );
  });

  it('name literal subjects, one token of instance, or an inbox of one service', () => {
    const shape = /^uar\.(v1(\.[a-z-]+){3,4}(\.\*)?|inbox\.[a-z-]+\.>)$/;
    for (const service of serviceNames) {
      const { publish, subscribe } = permissionsOf(service);
      for (const subject of [...publish, ...subscribe]) expect(subject).toMatch(shape);
      const inboxes = subscribe.filter((subject) => subject.startsWith('uar.inbox.'));
      expect(inboxes).toEqual([`uar.inbox.${service}.>`]);
    }
  });
});

describe('nats.conf', () => {
  const options = { host: '127.0.0.1', port: -1, maxPayloadBytes: 4_194_304 };

  it('has no monitoring port and refuses passwords that mean something to its parser', () => {
    expect(natsServerConfig({ ...options, passwords: newPasswords() })).not.toMatch(/http|monitor/);
    for (const gateway of [
      'short',
      `$UAR${'x'.repeat(20)}`,
      `a"b${'x'.repeat(20)}`,
      `x\n${'x'.repeat(20)}`,
    ]) {
      expect(() => natsServerConfig({ ...options, passwords: { ...newPasswords(), gateway } })).toThrow(
        'gateway',
      );
    }
  });

  it('of deployments is in step with the topology', () => {
    const file = new URL('../../../../deploy/nats/nats.conf', import.meta.url);
    expect(readFileSync(file, 'utf8')).toBe(natsDeploymentConfig());
  });

  it.skipIf(natsMissing('nats.conf of deployments'))('of deployments is taken by a nats-server', async () => {
    const passwords = newPasswords();
    const env = Object.fromEntries(serviceNames.map((name) => [natsPasswordVariable(name), passwords[name]]));
    const config = natsDeploymentConfig()
      .replace('"0.0.0.0"', '"127.0.0.1"')
      .replace('port: 4222', 'port: -1');
    const server = await startNatsServer({ config, env });
    for (const service of serviceNames) {
      const { url } = server;
      const bus = await connectNats({ url, service, user: service, password: passwords[service] });
      await bus.close();
    }
    await server.stop();
  });
});
