// Which file may import which: plugin → view → store → api. A subject knows `shared`, `api`, and another subject by its
// `index.ts` and `views.ts` only. `eslint.config.mjs` holds these rules; `src/arrows.spec.ts` tries them.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const NO_SUBJECTS = ['api', 'shared', 'testing'];
const SUBJECTS = readdirSync(join(import.meta.dirname, 'src'), { withFileTypes: true })
  .filter(entry => entry.isDirectory() && !NO_SUBJECTS.includes(entry.name))
  .map(entry => entry.name)
  .join('|');
const SPECS = ['src/**/*.spec.ts', 'src/**/*.spec.tsx', 'src/testing/*.ts'];

const INSIDE = {
  message: 'Another subject is known by its index.ts and views.ts only.'
};
const NO_VIEW = {
  regex: `(^|/)views(/|$)|^react$|^@xterm/|^@lumino/widgets$|^@jupyterlab/(ui-components|apputils)$`,
  message: 'A store knows no view and no DOM.'
};
const NO_PLUGIN = {
  regex: '(^|/)(plugin|index)$|/[.]{2}/index$',
  message: 'A plugin is known by the list of plugins only.'
};
const NO_CLIENT = {
  regex: '(^|/)api/(agentRoutes|client|requests|channel|events|frames|output)$',
  message: 'A view reads stores and calls their methods; only stores call the client.'
};
const NO_SUBJECT = {
  regex: `(^|/)(${SUBJECTS})(/|$)`,
  message: 'What all share knows no subject.'
};

// `import()` is no import declaration: its argument is looked at as a string.
const lazily = ({ regex, message }) => ({
  selector: `ImportExpression[source.value=/${regex.replaceAll('/', '\\/')}/]`,
  message
});

const rules = (...patterns) => ({
  'no-restricted-imports': ['error', { patterns }],
  'no-restricted-syntax': ['error', ...patterns.map(lazily)]
});
const insideOf = up => ({ ...INSIDE, regex: `^${up}(${SUBJECTS})/(?!views$)` });

export default [
  {
    files: [`src/!(shared|api|testing)/*.{ts,tsx}`],
    rules: rules(insideOf('[.][.]/'), NO_PLUGIN)
  },
  {
    files: ['src/!(shared|api|testing)/stores/**'],
    ignores: SPECS,
    rules: rules(insideOf('[.][.]/[.][.]/'), NO_PLUGIN, NO_VIEW)
  },
  {
    files: ['src/!(shared|api|testing)/views/**'],
    ignores: SPECS,
    rules: rules(insideOf('[.][.]/[.][.]/'), NO_PLUGIN, NO_CLIENT)
  },
  {
    files: ['src/shared/*.{ts,tsx}'],
    ignores: SPECS,
    rules: rules(NO_SUBJECT)
  },
  {
    files: ['src/shared/views/**'],
    ignores: SPECS,
    rules: rules(NO_SUBJECT, NO_PLUGIN, NO_CLIENT)
  },
  {
    files: ['src/api/**'],
    ignores: SPECS,
    rules: rules({
      regex: '^[.][.]/',
      message: 'The API knows nothing above it.'
    })
  }
];
