import { describe, expect, it } from 'vitest';
import { check } from './checker.js';
import type { Door, Note } from './history.js';

const callId = 'call_01a22e0b564a79943f959a1baefd0cf7';
const nothing = { receipts: [], approvals: [], ends: [], chain: [] };

function asked(at: number, door: Door): Note {
  return { kind: 'asked', at, id: 'caller6-50', tool: 'read', arguments_digest: 'sha256:93fb', door };
}

function answered(at: number, door: Door): Note {
  const ending = { call_id: callId, outcome: 'completed', effect: 'ran', receipt: null };
  return { kind: 'answered', at, id: 'caller6-50', door, ...ending };
}

const executed: Note = {
  kind: 'executed',
  at: 13,
  id: 'caller6-50',
  tool: 'read',
  arguments_digest: 'sha256:93fb',
};

function killed(at: number, service: string): Note {
  return { kind: 'fault', at, what: 'kill', service };
}

describe('a call that ended without a receipt', () => {
  const lost = `${callId} (caller6-50) was answered completed and has no outcome receipt`;

  it('breaks a promise where every gateway lived', () => {
    const notes = [asked(0, 'A'), executed, answered(20, 'A'), killed(300, 'gateway B')];
    expect(check(notes, nothing)).toEqual([{ rule: 'one_outcome_per_call', what: lost }]);
  });

  it('breaks none where the gateway that ran it was killed, whoever told the end of its key', () => {
    const notes = [asked(0, 'B'), executed, killed(300, 'gateway B'), asked(675, 'A'), answered(682, 'A')];
    expect(check(notes, nothing)).toEqual([]);
  });

  it('breaks a promise where that gateway was killed long after', () => {
    const notes = [asked(0, 'B'), executed, asked(675, 'A'), answered(682, 'A'), killed(9_000, 'gateway B')];
    expect(check(notes, nothing)).toEqual([{ rule: 'one_outcome_per_call', what: lost }]);
  });
});
