import js from '@eslint/js';
import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';

const sizes = {
  'max-lines': ['error', { max: 250, skipBlankLines: true, skipComments: true }],
  'max-lines-per-function': ['error', { max: 40, skipBlankLines: true, skipComments: true, IIFEs: true }],
  'max-depth': ['error', 3],
  'max-params': ['error', 3],
};

export default tseslint.config(
  { ignores: ['**/dist/**', '.nx/**', 'node_modules/**', '**/.uar/**'] },
  js.configs.recommended,
  ...tseslint.configs.strict,
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    plugins: { '@nx': nx },
    rules: {
      ...sizes,
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: false, requireDefaultForNonUnion: false },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-extraneous-class': 'off',
      '@typescript-eslint/no-invalid-void-type': 'off',
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportAllDeclaration', message: 'Export names, not everything.' },
        { selector: 'TSEnumDeclaration', message: 'Unions of literals, not enums.' },
      ],
      '@nx/enforce-module-boundaries': [
        'warn',
        {
          depConstraints: [
            { sourceTag: 'type:contract', onlyDependOnLibsWithTags: ['type:contract'] },
            { sourceTag: 'type:runtime', onlyDependOnLibsWithTags: ['type:contract', 'type:runtime'] },
            {
              sourceTag: 'type:app',
              onlyDependOnLibsWithTags: ['type:contract', 'type:runtime', 'type:app'],
            },
          ],
        },
      ],
    },
  },
  {
    files: ['**/domain/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        { selector: 'Decorator', message: 'No decorator in domain/: domain first, framework last.' },
        { selector: 'ExportAllDeclaration', message: 'Export names, not everything.' },
        { selector: 'TSEnumDeclaration', message: 'Unions of literals, not enums.' },
      ],
    },
  },
  {
    files: ['{apps,libs}/**/*.ts'],
    ignores: ['libs/config/**', 'libs/testkit/**', 'apps/*/src/main.ts', '**/*.spec.ts', '**/*.fixture.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        {
          object: 'process',
          property: 'env',
          message: 'The environment belongs to libs/config and main.ts.',
        },
      ],
    },
  },
  {
    files: ['**/*.spec.ts', '**/*.fixture.ts', 'e2e/**/*.ts', 'bench/**/*.ts', 'libs/testkit/**/*.ts'],
    rules: {
      'max-lines-per-function': 'off',
      'max-params': 'off',
      'max-lines': ['error', { max: 400 }],
      '@nx/enforce-module-boundaries': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    // Its names stand once, in the index of each folder.
    files: ['libs/contracts/src/index.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: 'ExportAllDeclaration:not([source.value=/^\\.\\u002F[a-z]+\\u002Findex\\.js$/])',
          message: 'Export names, not everything.',
        },
      ],
    },
  },
  {
    files: ['**/*.mjs', '**/*.cjs', '**/*.js'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        module: 'readonly',
        Buffer: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        URL: 'readonly',
        fetch: 'readonly',
        performance: 'readonly',
        setImmediate: 'readonly',
        queueMicrotask: 'readonly',
        TextDecoder: 'readonly',
        TextEncoder: 'readonly',
        WebAssembly: 'readonly',
        AbortController: 'readonly',
        AbortSignal: 'readonly',
      },
    },
  },
);
