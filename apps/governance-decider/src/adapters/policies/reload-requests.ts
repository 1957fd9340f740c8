import { EventEmitter } from 'node:events';

/** Somebody outside wants the policies read again: SIGHUP, where the decider has a process of its own. */
export const reloadRequests = new EventEmitter<{ asked: [] }>();
