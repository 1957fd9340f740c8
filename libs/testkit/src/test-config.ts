import { resolveConfig, UarConfig, type ResolvedConfig } from '@uar/config';
import type { z } from 'zod';

/** What a service is given when these keys are set and nothing else: no file and no environment is read. */
export function testConfig(settings: z.input<typeof UarConfig> = {}): ResolvedConfig {
  return resolveConfig({ config: UarConfig.parse(settings), cwd: process.cwd(), given: () => false });
}
