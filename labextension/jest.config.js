const jestJupyterLab = require('@jupyterlab/testutils/lib/jest-config');

const esModules = [
  '@codemirror',
  '@jupyter/ydoc',
  '@jupyterlab/',
  '@jupyter/react-components',
  '@jupyter/web-components',
  '@microsoft/',
  '@xterm',
  'exenv-es6',
  'lib0',
  'marked',
  'nanoid',
  'vscode-ws-jsonrpc',
  'y-codemirror',
  'y-protocols',
  'yjs'
].join('|');

const base = jestJupyterLab(__dirname);

// The types are checked by `npm run types:check`. Babel and ts-jest take twice as long as all tests together.
const compiled = (jsc, options = {}) => [
  '@swc/jest',
  { jsc: { target: 'es2022', ...jsc }, module: { type: 'commonjs' }, ...options }
];
const typescript = tsx =>
  compiled({
    parser: { syntax: 'typescript', tsx },
    transform: { react: { runtime: 'classic' }, useDefineForClassFields: false }
  });

module.exports = {
  ...base,
  roots: ['<rootDir>/src'],
  transform: {
    '\\.svg$': base.transform['\\.svg$'],
    '\\.ts$': typescript(false),
    '\\.tsx$': typescript(true),
    '\\.jsx?$': compiled({}, { sourceMaps: false })
  },
  reporters: ['default'],
  setupFiles: ['<rootDir>/jest.setup.js'],
  collectCoverageFrom: ['src/**/*.{ts,tsx}', '!src/**/*.d.ts', '!src/api/schema.ts'],
  coverageReporters: ['text-summary'],
  testRegex: 'src/.*\\.spec\\.tsx?$',
  transformIgnorePatterns: [`/node_modules/(?!${esModules}).+`]
};
