import { describe, expect, it } from 'vitest';
import { createJweRecipient, encryptTo } from './jwe.js';

describe('a secret for one recipient', () => {
  const recipient = createJweRecipient();

  it('is read by that one', async () => {
    const jwe = await encryptTo(recipient.publicJwk, 'tok€n');
    expect(jwe).not.toContain('tok');
    expect(await recipient.decrypt(jwe)).toBe('tok€n');
  });

  it('is another text each time', async () => {
    const [one, other] = await Promise.all([1, 2].map(() => encryptTo(recipient.publicJwk, 'token')));
    expect(one).not.toBe(other);
  });

  it('is read by no other, and not once it was changed', async () => {
    const jwe = await encryptTo(recipient.publicJwk, 'token');
    await expect(createJweRecipient().decrypt(jwe)).rejects.toThrow();
    const parts = jwe.split('.');
    const changed = parts.with(3, parts[3]?.startsWith('A') === true ? 'B' : 'A').join('.');
    await expect(recipient.decrypt(changed)).rejects.toThrow();
    await expect(recipient.decrypt('no.jwe')).rejects.toThrow();
  });

  it('is not encrypted to what is no key', async () => {
    const { publicJwk } = recipient;
    await expect(encryptTo({ ...publicJwk, x: publicJwk.y }, 'token')).rejects.toThrow();
  });
});
