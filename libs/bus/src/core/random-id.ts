import { randomBytes, randomFillSync } from 'node:crypto';
import { InstanceId } from '@uar/contracts';

const tokenBytes = 8;
const pool = Buffer.alloc(512 * tokenBytes);
let taken = pool.length;

/** 16 hex digits nobody can guess: who answers one ask must not be able to answer another. */
export function randomToken(): string {
  if (taken === pool.length) {
    randomFillSync(pool);
    taken = 0;
  }
  taken += tokenBytes;
  return pool.toString('hex', taken - tokenBytes, taken);
}

export function newInstanceId(): InstanceId {
  return InstanceId.parse(randomBytes(8).toString('hex'));
}

export function newFaultId(): string {
  return `fault_${randomBytes(8).toString('hex')}`;
}
