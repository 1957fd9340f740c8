/** Times in milliseconds. */
export const linkTimes = {
  firstBackOff: 500,
  longestBackOff: 30_000,
  crashLoopBackOff: 60_000,
  /** Exits in a row, each before `steady`, that make a crash loop. */
  crashLoopAfter: 5,
  steady: 10_000,
  pingEvery: 15_000,
  pingTimeout: 5_000,
  /** How long calls on a connection that is replaced may go on. */
  retire: 5_000,
  /** A seat without calls is given up then, one with subscriptions only then. */
  seatIdle: 5 * 60_000,
  subscribedSeatIdle: 60 * 60_000,
  listDebounce: 100,
  /** Doubles with each change right after a read: three of those are still read within a second. */
  firstListGap: 100,
  longestListGap: 30_000,
} as const;

/** Calls that may wait for each that may run. */
export const maxQueuedPerSlot = 16;

/** Sessions of seats with one server. */
export const mostSeats = 64;
