import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist/', 'data/', '.cache/', 'node_modules/'] },
  {
    files: ['{apps,libs,test}/**/*.{ts,tsx}'],
    extends: [...tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
      ],
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      'no-else-return': 'error',
      'no-empty': ['error', { allowEmptyCatch: false }],
      eqeqeq: 'error',
    },
  },
  {
    files: ['test/**/*.ts', '**/*.spec.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-explicit-any': 'off',
    },
  },
  {
    files: ['{apps,libs}/**/*.{ts,tsx}'],
    ignores: ['libs/config/**', 'libs/embedded/**'],
    rules: {
      'no-restricted-properties': [
        'error',
        {
          object: 'process',
          property: 'env',
          message: 'The environment is read once, in libs/config. Ask for a section of the config.',
        },
      ],
    },
  },
  {
    files: ['{apps,libs}/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [
            {
              name: '@nestjs/common',
              importNames: ['forwardRef'],
              message: 'Two rooms that need each other are one room, or lack a third.',
            },
            ...['process', 'node:process'].map((name) => ({
              name,
              importNames: ['env'],
              message: 'The environment is read once, in libs/config.',
            })),
          ],
        },
      ],
    },
  },
  {
    files: ['{apps,libs}/**/*.ts'],
    // The page runs in a browser, and the text of its filters is all that it shares with the server.
    ignores: ['libs/errors/**', 'apps/web/**', 'libs/query-language/src/text/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector:
            ':matches(ClassDeclaration, ClassExpression)[superClass.name=/^(Error|TypeError|RangeError)$/]',
          message: 'Extend HeddleError of @app/errors: an error is recognised by its code.',
        },
      ],
    },
  },
  {
    files: ['libs/*/src/index.ts', 'libs/query-language/src/text/index.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: 'ExportAllDeclaration',
          message: 'Name what leaves the room: export { X } from "./x.js".',
        },
      ],
    },
  },
  {
    files: ['**/*.{mjs,cjs}'],
    rules: {
      'no-unused-vars': 'error',
      'no-else-return': 'error',
      'no-empty': ['error', { allowEmptyCatch: false }],
      eqeqeq: 'error',
    },
  },
);
