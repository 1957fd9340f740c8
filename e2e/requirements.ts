import { calling } from './requirements/calling.js';
import { governing } from './requirements/governing.js';
import { running } from './requirements/running.js';
import { serving } from './requirements/serving.js';

/** Every promise that holds by now. `coverage.e2e.spec.ts` fails when one has no test. */
export const requirements = { ...running, ...calling, ...governing, ...serving };

export type RequirementId = keyof typeof requirements;
