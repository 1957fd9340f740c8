import type { ProfileName, ToolFacts } from '@uar/contracts';

const criticalRisk = 4;

/** How many people must approve; what is critical needs two, but for the one person of profile minimal. */
export function quorumOf(tool: Pick<ToolFacts, 'risk' | 'quorum'>, profile: ProfileName): number {
  const isCritical = tool.risk >= criticalRisk && profile !== 'minimal';
  return Math.max(tool.quorum, isCritical ? 2 : 1);
}
