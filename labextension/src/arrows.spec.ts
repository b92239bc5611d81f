/** @jest-environment node */
/** The rules in `eslint.arrows.mjs`, tried on files that break them and on files that keep them. */
import { execFileSync } from 'child_process';
import { join } from 'path';

const ROOT = join(__dirname, '..');

const LINT = `
  import { Linter } from 'eslint';
  import { parser } from 'typescript-eslint';
  import arrows from './eslint.arrows.mjs';
  const files = JSON.parse(process.argv[1]);
  const config = [{ files: ['**/*.{ts,tsx}'], languageOptions: { parser } }, ...arrows];
  console.log(JSON.stringify(files.map(([path, text]) =>
    new Linter().verify(text, config, { filename: path }).map(({ message }) => message))));
`;

/** Whether each file, a path and its text, keeps the rules. */
function keeps(files: [string, string][]): boolean[] {
  const told = execFileSync(
    process.execPath,
    ['--input-type=module', '-e', LINT, JSON.stringify(files)],
    { cwd: ROOT, encoding: 'utf8' }
  );
  return (JSON.parse(told) as string[][]).map(messages => messages.length === 0);
}

const FORBIDDEN: [string, string][] = [
  ['src/editor/views/Panel.tsx', "import { CabinetClient } from '../../api/client';"],
  ['src/editor/views/Panel.tsx', "import type { EventStream } from '../../api/events';"],
  ['src/editor/views/Panel.tsx', "void import('../../api/client');"],
  ['src/shared/views/Card.tsx', "import type { CabinetClient } from '../../api/client';"],
  ['src/editor/views/Panel.tsx', "import { RunStore } from '../../runs/stores/runs';"],
  [
    'src/editor/views/Panel.tsx',
    "import { TerminalPane } from '../../terminal/views/TerminalPane';"
  ],
  ['src/editor/views/Panel.tsx', "import { editorPlugin } from '../plugin';"],
  ['src/editor/stores/editor.ts', "import { Panel } from '../views/Panel';"],
  ['src/editor/stores/editor.ts', "import { TerminalPane } from '../../terminal/views';"],
  ['src/editor/stores/editor.ts', "import * as React from 'react';"],
  ['src/editor/stores/editor.ts', "void import('../views/Panel');"],
  ['src/editor/plugin.ts', "import { RunStore } from '../runs/stores/runs';"],
  ['src/editor/plugin.ts', "void import('../runs/views/outputDialog');"],
  ['src/editor/commands.ts', "import { runsPlugin } from '../runs/plugin';"],
  ['src/shared/store.ts', "import { isFinal } from '../runs';"],
  ['src/shared/views/components.tsx', "import { runLabel } from '../../runs';"],
  ['src/api/client.ts', "import { Store } from '../shared/store';"]
];

const ALLOWED: [string, string][] = [
  ['src/editor/views/Panel.tsx', "import type { Run } from '../../api/types';"],
  ['src/editor/views/Panel.tsx', "import { TerminalPane } from '../../terminal/views';"],
  ['src/editor/views/Panel.tsx', "import { isFinal } from '../../runs';"],
  ['src/editor/views/Panel.tsx', "import type { EditorStore } from '../stores/editor';"],
  ['src/editor/stores/editor.ts', "import type { CabinetClient } from '../../api/client';"],
  ['src/editor/stores/editor.ts', "import { isFinal } from '../../runs';"],
  ['src/editor/plugin.ts', "import { IRuns } from '../runs';"],
  ['src/editor/plugin.ts', "void import('./stores/editor');"],
  ['src/editor/plugin.ts', "void import('../runs/views');"],
  ['src/shared/server.ts', "import { CabinetClient } from '../api/client';"]
];

it('arrows point from plugins over views and stores to the API', () => {
  const results = keeps([...FORBIDDEN, ...ALLOWED]);
  const wrong = [...FORBIDDEN, ...ALLOWED].filter(
    (_, index) => results[index] !== index >= FORBIDDEN.length
  );
  expect(wrong).toEqual([]);
});
