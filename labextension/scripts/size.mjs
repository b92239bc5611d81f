// Prints how much JavaScript JupyterLab loads at start for this extension, and the lazy chunks.
// Eager is what `remoteEntry` and the exposed modules `./extension` and `./style` need; the rest is lazy.
// Ends with an error when the eager part is over the budget.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const BUDGET_BYTES = 55 * 1024; // each subject brings about 1 kB: its tokens, its commands, its place in the shell
const folder = fileURLToPath(new URL('../../jupyter_cabinet/labextension/static', import.meta.url));
const scripts = readdirSync(folder).filter(name => name.endsWith('.js'));
const size = name => statSync(join(folder, name)).size;

const entry = scripts.find(name => name.startsWith('remoteEntry'));
const source = readFileSync(join(folder, entry), 'utf8');
// The exposed modules are the table `"./extension": () => Promise.all([t.e("12"), t.e("345")])`.
const exposed = [
  ...source.matchAll(
    /"\.\/(extension|index|style)"\s*:\s*(?:function)?[^{]*?(?=,\s*"\.\/|\}\s*[;,])/g
  )
]
  .map(match => match[0])
  .join('\n');
const wanted = new Set(
  [...exposed.matchAll(/\.e\(\s*["']?([\w-]+)["']?\s*\)/g)].map(match => match[1])
);
const chunkOf = name => name.split('.')[0];
const eager = scripts.filter(
  name => name === entry || name === 'style.js' || wanted.has(chunkOf(name))
);
const lazy = scripts.filter(name => !eager.includes(name));
const total = names => names.reduce((sum, name) => sum + size(name), 0);
const kilo = bytes => `${(bytes / 1024).toFixed(1)} kB`.padStart(10);

for (const [title, names] of [
  ['eager', eager],
  ['lazy', lazy]
]) {
  console.log(`${title}: ${kilo(total(names)).trim()}`);
  for (const name of names.sort((a, b) => size(b) - size(a))) {
    console.log(`${kilo(size(name))}  ${name}`);
  }
}
if (total(eager) > BUDGET_BYTES) {
  console.error(`The eager part is over its budget of ${BUDGET_BYTES / 1024} kB.`);
  process.exit(1);
}
