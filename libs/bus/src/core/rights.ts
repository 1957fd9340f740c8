import { topology, type BusRights, type Exchange, type ServiceName } from '@uar/contracts';

export interface Rights {
  readonly asks: ReadonlySet<string>;
  readonly answers: ReadonlySet<string>;
  readonly announces: ReadonlySet<string>;
  readonly listens: ReadonlySet<string>;
}

const subjects = (contracts: readonly { subject: string }[]): ReadonlySet<string> =>
  new Set(contracts.map(({ subject }) => subject));

/** What topology lets a service do, by subject. */
export function rightsOf(service: ServiceName): Rights {
  const rights: BusRights = topology[service];
  return {
    asks: subjects(rights.asks),
    answers: subjects(rights.answers),
    announces: subjects(rights.announces),
    listens: subjects(rights.listens),
  };
}

/** All inboxes of a service start so; only the service itself may listen there. */
export const inboxRoot = (service: ServiceName): string => `uar.inbox.${service}`;

export interface Permissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

const reached = (exchange: Exchange): string =>
  exchange.reach === 'instance' ? `${exchange.subject}.*` : exchange.subject;

/** The same as subjects of a NATS server's allow-lists: an answering service may publish to inboxes of its askers only. */
export function permissionsOf(service: ServiceName): Permissions {
  const own = topology[service];
  const answered = subjects(own.answers);
  const askers = serviceNames.filter((name) =>
    topology[name].asks.some(({ subject }) => answered.has(subject)),
  );
  return {
    publish: [
      ...own.asks.map(reached),
      ...own.announces.map(({ subject }) => subject),
      ...askers.map((name) => `${inboxRoot(name)}.>`),
    ].sort(),
    subscribe: [
      `${inboxRoot(service)}.>`,
      ...own.answers.map(reached),
      ...own.listens.map(({ subject }) => subject),
    ].sort(),
  };
}

/** In the order of the topology. */
export const serviceNames: readonly ServiceName[] = [
  'gateway',
  'catalog-registry',
  'governance-decider',
  'approval-service',
  'mcp-connector',
  'native-tool-host',
];
