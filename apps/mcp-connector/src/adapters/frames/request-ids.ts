/**
 * Where the JSON-RPC ids begin of those who send requests over the same pipes: nobody takes the answer of another one. Within
 * 32 bits; those of the SDK's client begin at 0.
 */
export const firstIds = { ofCalls: 1_000_000_000, ofWire: 2_000_000_000 } as const;
