import fc, { type Arbitrary } from 'fast-check';
import { entityRef, extension, type CedarValue, type Uid } from '../../domain/cedar/cedar.js';
import { decimals, ids, instants, texts, type TypeName } from './vocabulary.fixture.js';

export function uidOf(type: TypeName): Arbitrary<Uid> {
  return fc.constantFrom(...ids[type]).map((id): Uid => ({ type: `UAR::${type}`, id }));
}

export const ref = (type: TypeName): Arbitrary<CedarValue> => uidOf(type).map(entityRef);
export const refs = (type: TypeName): Arbitrary<CedarValue[]> =>
  fc.uniqueArray(uidOf(type), uniqueUids).map(toRefs);
export const parentsIn = (...types: TypeName[]): Arbitrary<Uid[]> =>
  fc.tuple(...types.map((type) => fc.uniqueArray(uidOf(type), uniqueUids))).map((lists) => lists.flat());
const uniqueUids = { maxLength: 2, selector: ({ type, id }: Uid) => `${type} ${id}` };
const toRefs = (uids: readonly Uid[]): CedarValue[] => uids.map(entityRef);

export const text = fc.constantFrom(...texts);
export const long = fc.oneof(
  fc.integer({ min: -3, max: 5 }),
  fc.constantFrom(900, 2 ** 53 - 1, -(2 ** 53) + 1),
);
export const instant = fc.constantFrom(...instants).map((value) => extension('datetime', value));
export const decimal = fc.constantFrom(...decimals).map((value) => extension('decimal', value));
