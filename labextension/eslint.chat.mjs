/**
 * The rules for the page of the web chat, `jupyter_cabinet/web/chat_page/`: it is served as it is, without a build.
 */
import js from '@eslint/js';
import prettier from 'eslint-config-prettier';

const BROWSER = [
  'addEventListener',
  'crypto',
  'document',
  'fetch',
  'location',
  'matchMedia',
  'performance',
  'sessionStorage',
  'clearTimeout',
  'setTimeout',
  'Option',
  'ResizeObserver',
  'URL',
  'WebSocket'
];

export default [
  js.configs.recommended,
  prettier,
  {
    files: ['**/*.js'],
    languageOptions: { globals: Object.fromEntries(BROWSER.map(name => [name, 'readonly'])) },
    rules: {
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      complexity: ['error', { max: 14, variant: 'modified' }],
      curly: ['error', 'all'],
      eqeqeq: 'error',
      'no-restricted-properties': [
        'error',
        ...['innerHTML', 'outerHTML', 'insertAdjacentHTML', 'write', 'setHTMLUnsafe'].map(
          property => ({
            property,
            message: 'Texts of people and agents become text nodes.'
          })
        )
      ]
    }
  }
];
