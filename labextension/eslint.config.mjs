import js from '@eslint/js';
import jupyter from '@jupyter/eslint-plugin';
import prettier from 'eslint-config-prettier';
import ts from 'typescript-eslint';

import arrows from './eslint.arrows.mjs';

export default [
  {
    ignores: [
      'lib',
      'node_modules',
      'coverage',
      'scripts',
      '*.js',
      'src/api/schema.ts',
      'src/api/openapi.json'
    ]
  },
  js.configs.recommended,
  ...ts.configs.recommended,
  { plugins: { jupyter } },
  ...jupyter.configs.recommended,
  prettier,
  {
    files: ['src/**/*.ts', 'src/**/*.tsx'],
    languageOptions: {
      parserOptions: {
        project: './tsconfig.test.json',
        tsconfigRootDir: import.meta.dirname
      }
    },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-namespace': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { args: 'none' }],
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      complexity: ['error', { max: 14, variant: 'modified' }],
      curly: ['error', 'all'],
      eqeqeq: 'error',
      'no-control-regex': 'off',
      'no-restricted-properties': [
        'error',
        {
          property: 'showModal',
          message: 'It blocks the whole page, also while its tab is hidden. Use FormDialog.'
        }
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector:
            'CallExpression[callee.object.name="Notification"][callee.property.name=/^(error|info|success|warning)$/]' +
            ':not(:has(Property[key.name="autoClose"]))',
          message:
            'Without `autoClose`, JupyterLab only counts it in the status bar. Nobody reads it.'
        }
      ],
      // `npm run size` holds the budget of the start.
      'jupyter/prefer-lazy-imports': 'off'
    }
  },
  ...arrows,
  {
    files: ['src/**/*.spec.ts', 'src/**/*.spec.tsx', 'src/testing/*.ts'],
    rules: {
      'max-lines': 'off',
      'jupyter/no-untranslated-string': 'off',
      'jupyter/require-disposable-ownership': 'off'
    }
  }
];
