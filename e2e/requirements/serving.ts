import { chapter } from './chapter.js';

/** What is served: servers, their tools and definitions. */
export const serving = chapter({
  'servers.put': {
    text: 'a server registered by API serves its tools; DELETE withdraws them',
    source: 'API.md 3',
  },
  'servers.real': {
    text: 'ten upstreams of others at once: each tool is listed, and each call that gives the same twice answered, as it is directly',
    source: 'CASES.md R1',
  },
  'servers.refusals': {
    text: 'reserved, look-alike and colliding names, missing placeholders and dead servers are refused',
    source: 'CASES.md N3 N10',
  },
  'servers.restart': { text: 'a server set by API survives a restart', source: 'API.md 1' },
  'servers.dead': {
    text: 'a dead upstream is named as missing beside the tools of the others',
    source: 'CASES.md N6',
  },
  'upstream.machine': {
    text: 'the connector gets tokens for its own client, renewed once for all calls that need another',
    source: 'DESIGN.md 10',
  },
  'upstream.issuer': {
    text: 'a secret goes to the authorization server that was found first, and to none that the upstream names later',
    source: 'DESIGN.md 10',
  },
  'upstream.connect': {
    text: 'a server that wants somebody to agree is auth_required until somebody connects it; the link is good once; connecting and disconnecting leave receipts',
    source: 'API.md 3',
  },
  'upstream.own': {
    text: 'under per_principal every principal connects an account of their own, and a call without one says how',
    source: 'API.md 3',
  },
  'upstream.exchange': {
    text: 'where it is configured, each caller acts at an upstream as themselves, by a token that theirs was exchanged for; nobody without one does',
    source: 'RFC 8693',
  },
  'upstream.secrets': {
    text: 'the token of a caller goes to no upstream, child, log, event or file; tokens of upstreams are kept sealed',
    source: 'DESIGN.md 4',
  },
  'pin.block': {
    text: 'under block a changed or later definition is quarantined within a second, and what waits for it ends',
    source: 'DESIGN.md 5',
  },
  'pin.review': {
    text: 'a change is shown with its differences; accepting serves the tool again, rejecting keeps it out',
    source: 'API.md 3',
  },
  'pin.warn': { text: 'under warn a changed definition is served, with a warning', source: 'API.md 3' },
  'pin.flags': {
    text: 'what hides or instructs in a description is quarantined under warn too, and stays so after a restart',
    source: 'CASES.md N11',
  },
  'catalog.huge-list': {
    text: 'an upstream with 5,000 tools is listed whole and calls go on meanwhile',
    source: 'CASES.md O2',
  },
  'catalog.pages': {
    text: 'all pages are listed; a repeated cursor ends the walk and is marked',
    source: 'CASES.md N5',
  },
  'catalog.names': {
    text: 'long, odd and colliding raw names get distinct callable public names',
    source: 'CASES.md N1 N2 N9',
  },
  'stdio.hostile': {
    text: 'noise, stderr floods and stubborn children harm nobody and leave no process',
    source: 'CASES.md P1 P2 P3',
  },
});
