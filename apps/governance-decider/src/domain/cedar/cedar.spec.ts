import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TenantId, principalId, type Principal } from '@uar/contracts';
import { serverUid, toolUid, userUid } from './entity-ids.js';
import { judge } from './judge.js';
import { isWellFormed } from './well-formed.js';

const tenant = fc.constantFrom('acme', 'a', 'acme.fs', 'b-1');
/** Any UTF-16 text, lone surrogates too. */
const anyText = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 6 })
  .map((units) => String.fromCharCode(...units));
const tricky = fc
  .array(fc.constantFrom('a', '/', '%', '2F', '25', 'uD800', '\ud800', '\udc00', '😀', '.'), { maxLength: 5 })
  .map((parts) => parts.join(''));
const name = fc.oneof(anyText, tricky);

describe('ids of entities', () => {
  it('are different for different tools', () => {
    fc.assert(
      fc.property(fc.tuple(tenant, name, name), fc.tuple(tenant, name, name), (left, right) => {
        const same = left.every((part, index) => part === right[index]);
        expect(toolUid(...left).id === toolUid(...right).id).toBe(same);
      }),
      { numRuns: 2_000 },
    );
  });

  it('are different for different servers, and always text that Cedar takes', () => {
    fc.assert(
      fc.property(fc.tuple(tenant, name), fc.tuple(tenant, name), (left, right) => {
        expect(serverUid(...left).id === serverUid(...right).id).toBe(
          left[0] === right[0] && left[1] === right[1],
        );
        expect(isWellFormed(serverUid(...left).id)).toBe(true);
      }),
    );
  });

  it('read as people write them', () => {
    expect(toolUid('acme', 'fs', 'read_text_file').id).toBe('acme/fs/read_text_file');
    expect(toolUid('acme', 'native', 'a/b').id).toBe('acme/native/a/b');
  });

  it('are those of receipts for users', () => {
    const principal = { tenant: TenantId.parse('acme'), subject: 'auth0|a/b%c', kind: 'user' } as Principal;
    const uid = userUid(principal.tenant, principal.subject);
    expect(principalId(principal)).toBe(`User::${JSON.stringify(uid.id)}`);
  });
});

describe('judging an answer', () => {
  const known = { permits: new Set(['t/a', 't/b']), forbids: new Set(['p/x']) };
  const decided = (decision: string, reasons: string[], errors: string[] = []) =>
    judge({ kind: 'decided', decision, reasons, errors }, known);

  it('takes an allow by known permits for yes, and names them sorted', () => {
    expect(decided('allow', ['t/b', 't/a'])).toEqual({ kind: 'yes', determining: ['t/a', 't/b'] });
  });

  it.each([
    ['an allow without reasons', decided('allow', []), 'engine_failed'],
    ['an allow by a policy that nobody knows', decided('allow', ['t/a', 't/c']), 'engine_failed'],
    ['an allow by a forbid', decided('allow', ['p/x']), 'engine_failed'],
    ['an allow beside an error', decided('allow', ['t/a'], ['p/x']), 'policy_error'],
    ['a deny beside an error', decided('deny', [], ['t/a']), 'policy_error'],
    ['a deny without reasons', decided('deny', []), 'not_permitted'],
    ['a deny by a forbid', decided('deny', ['p/x']), 'forbidden'],
    ['a deny by a permit', decided('deny', ['t/a']), 'engine_failed'],
    ['a decision of another name', decided('maybe', ['t/a']), 'engine_failed'],
    ['no answer at all', judge(undefined, known), 'engine_failed'],
    ['an invalid request', judge({ kind: 'invalid', message: '' }, known), 'request_invalid'],
    ['a throw', judge({ kind: 'threw', message: '' }, known), 'engine_failed'],
    ['a question not asked', judge({ kind: 'not_asked' }, known), 'not_asked'],
    ['a lost engine', judge({ kind: 'lost', cause: 'engine_timeout' }, known), 'engine_timeout'],
  ])('says no to %s', (_what, verdict, code) => {
    expect(verdict).toMatchObject({ kind: 'no', code });
  });

  it('says yes to nothing else, whatever is answered', () => {
    const ids = fc.array(fc.constantFrom('t/a', 't/b', 'p/x', 't/c'), { maxLength: 3 });
    fc.assert(
      fc.property(fc.constantFrom('allow', 'deny', 'Allow', ''), ids, ids, (decision, reasons, errors) => {
        const isYes = judge({ kind: 'decided', decision, reasons, errors }, known).kind === 'yes';
        const mayBe = decision === 'allow' && errors.length === 0 && reasons.length > 0;
        expect(isYes).toBe(mayBe && reasons.every((id) => known.permits.has(id)));
      }),
    );
  });
});
