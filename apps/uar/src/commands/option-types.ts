import { AgentId } from '@uar/contracts';
import { InvalidArgumentError, Option } from 'commander';

export const jsonOption = () => new Option('--json', 'print JSON').default(false);

export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It is no whole number.');
  return Number(text);
}

/** Seconds a development token lives: 1 to 300. */
export function tokenLife(text: string): number {
  const seconds = wholeNumber(text);
  if (seconds < 1 || seconds > 300) throw new InvalidArgumentError('It must be from 1 to 300.');
  return seconds;
}

export function agentId(text: string): string {
  if (!AgentId.safeParse(text).success)
    throw new InvalidArgumentError('It must be 1 to 128 letters, digits and . _ : @ -');
  return text;
}

export function listOf(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** An empty scope claim is no claim that a gateway takes. */
export function scopeList(text: string): string[] {
  const scopes = listOf(text);
  if (scopes.length === 0) throw new InvalidArgumentError('It must name a scope.');
  return scopes;
}

export function collect(text: string, earlier: readonly string[]): string[] {
  return [...earlier, text];
}
