import { InvalidArgumentError, Option } from 'commander';

export const jsonOption = () => new Option('--json', 'print JSON').default(false);

export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It is no whole number.');
  return Number(text);
}

export function listOf(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

export function collect(text: string, earlier: readonly string[]): string[] {
  return [...earlier, text];
}
