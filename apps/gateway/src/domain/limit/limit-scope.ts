import { hash } from 'node:crypto';
import { matcherOf } from './glob.js';

/** Which calls a limit is about, and what each of its buckets is for. */
export interface LimitRule {
  readonly name: string;
  readonly per: 'principal' | 'tool' | 'tenant' | 'principal_tool';
  /** Patterns of public tool names; all without. */
  readonly tools?: readonly string[];
  readonly tenants?: readonly string[];
}

/** Whose call to which tool is asked about. */
export interface LimitedCall {
  readonly tenant: string;
  /** Cedar id: an agent spends what the user it acts for may. */
  readonly principal: string;
  /** As the caller wrote it: a name that does not exist is limited like every other. */
  readonly tool: string;
}

/** The calls and buckets of one limit. */
export class LimitScope {
  private readonly matches: (tool: string) => boolean;
  private readonly tenants: ReadonlySet<string> | undefined;

  constructor(private readonly rule: LimitRule) {
    this.matches = rule.tools === undefined ? () => true : matcherOf(rule.tools);
    this.tenants = rule.tenants === undefined ? undefined : new Set(rule.tenants);
  }

  covers({ tenant, tool }: LimitedCall): boolean {
    return (this.tenants?.has(tenant) ?? true) && this.matches(tool);
  }

  /** Names the bucket of a call without saying whose it is. */
  bucketOf({ tenant, principal, tool }: LimitedCall): string {
    const holder = JSON.stringify([tenant, ...this.holder(principal, tool)]);
    return hash('sha256', holder, 'base64url').slice(0, 22);
  }

  private holder(principal: string, tool: string): readonly string[] {
    switch (this.rule.per) {
      case 'principal':
        return [principal];
      case 'tool':
        return [tool];
      case 'tenant':
        return [];
      case 'principal_tool':
        return [principal, tool];
    }
  }
}
