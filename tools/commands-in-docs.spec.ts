import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

function markdownOf(folder: string): readonly string[] {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
}

const folders = ['.', 'docs', 'docs/adr', 'deploy', 'k8s'];
const packages = ['apps', 'libs'].flatMap((kind) =>
  readdirSync(join(root, kind)).map((name) => join(kind, name)),
);
const files = [...folders, ...packages].flatMap(markdownOf);

describe('a command of ours in the documents', () => {
  it('is never fetched by npx from the public registry where it is not installed here', () => {
    const ours = files.flatMap(
      (file) => readFileSync(join(root, file), 'utf8').match(/npx .*\buar\b/g) ?? [],
    );
    expect(ours.length).toBeGreaterThan(10);
    expect(ours.filter((text) => /npx (?!--no )[^`]*?\buar\b/.test(text))).toEqual([]);
  });

  it('that begins with an option keeps it from npx, which has options of the same names', () => {
    const told = files.flatMap(
      (file) => readFileSync(join(root, file), 'utf8').match(/npx --no uar --\w+/g) ?? [],
    );
    expect(told).toEqual([]);
    const said = execFileSync('npx', ['--no', '--', 'uar', '--help'], { cwd: root, encoding: 'utf8' });
    expect(said).toContain('Usage: uar ');
  });
});
