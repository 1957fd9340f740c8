/** For a machine that does much else: a proof takes some seconds of CPU. */
const patienceMs = 600_000;

/**
 * How much is tried, and from which seed: `UAR_PROOF_SEED` repeats a run, `UAR_PROOF_SCALE` multiplies the number of cases.
 */
export function proofRuns(usual: { readonly cases: number }): {
  readonly seed: number;
  readonly cases: number;
  readonly timeoutMs: number;
} {
  const scale = Number(process.env['UAR_PROOF_SCALE'] ?? 1);
  const seed = Number(process.env['UAR_PROOF_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
  if (!(scale > 0) || !Number.isInteger(seed))
    throw new Error('UAR_PROOF_SCALE or UAR_PROOF_SEED is no number');
  return { seed, cases: Math.ceil(usual.cases * scale), timeoutMs: patienceMs * Math.max(1, scale) };
}
