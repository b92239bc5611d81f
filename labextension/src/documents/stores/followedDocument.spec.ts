/** A notebook whose kernel writes on, with JupyterLab's own context and model over an in-memory server of contents. */
import { Context } from '@jupyterlab/docregistry';
import type * as nbformat from '@jupyterlab/nbformat';
import { NotebookModelFactory, type INotebookModel } from '@jupyterlab/notebook';
import { ServiceManagerMock } from '@jupyterlab/services/lib/testutils';
import type { ServiceManager } from '@jupyterlab/services';

import { until } from '../../testing/fakes';
import { FollowedDocument } from './followedDocument';

const stream = (text: string) => ({ output_type: 'stream', name: 'stdout', text }) as const;

const code = (id: string, source: string): nbformat.ICodeCell => ({
  id,
  cell_type: 'code',
  source,
  metadata: {},
  outputs: [],
  execution_count: null
});

const words = (id: string, source: string) =>
  ({ id, cell_type: 'markdown', source, metadata: {} }) as unknown as nbformat.ICell;

async function parts() {
  const services = new ServiceManagerMock() as unknown as ServiceManager.IManager;
  const { contents } = services;
  const { path } = await contents.newUntitled({ type: 'notebook' });
  let content: nbformat.INotebookContent = {
    cells: [code('asks', '%%agent'), code('prints', 'print(1)')],
    metadata: {},
    nbformat: 4,
    nbformat_minor: 5
  };
  let version = 0;
  const write = (...cells: nbformat.ICell[]) => {
    version += 1;
    content = JSON.parse(JSON.stringify({ ...content, cells })) as typeof content;
  };
  const plainGet = contents.get.bind(contents);
  contents.get = async (wanted, options) => {
    return {
      ...(await plainGet(wanted, { content: false })),
      hash: `h${version}`,
      last_modified: new Date(version * 1000).toISOString(),
      format: 'json',
      type: 'notebook',
      content: options?.content === false ? null : JSON.parse(JSON.stringify(content))
    };
  };
  contents.save = async (_, model) => {
    write(...(model?.content as nbformat.INotebookContent).cells);
    const saved = await contents.get(path, { content: false });
    afterSave.shift()?.();
    return { ...saved, hash: undefined, content: null }; // as Jupyter does, without a hash
  };
  const afterSave: (() => void)[] = [];
  const agents = { work: false, refused: 0 };
  const context: Context<INotebookModel> = new Context({
    manager: services,
    factory: new NotebookModelFactory(),
    path
  });
  await context.initialize(false);
  context.model.dirty = false;
  const followed = new FollowedDocument(context, {
    contents,
    followsChanges: () => true,
    keepScroll: async () => () => undefined,
    agentsWork: () => agents.work,
    refused: () => (agents.refused += 1),
    changed: () => undefined
  });
  await context.ready;
  const cells = () => (context.model.toJSON() as nbformat.INotebookContent).cells;
  /** As a kernel does, which leaves the notebook unsaved. */
  const print = (index: number, text: string, count: number) => {
    const shared = context.model.sharedModel.cells[index];
    if (shared.cell_type === 'code') {
      const cell = shared as import('@jupyter/ydoc').ISharedCodeCell;
      cell.setOutputs([stream(text)]);
      cell.execution_count = count;
    }
  };
  return {
    context,
    followed,
    write,
    print,
    afterSave,
    agents,
    contents,
    cells,
    disk: () => content.cells
  };
}

describe('a notebook whose kernel writes on while others write its file', () => {
  it('takes in a new cell and keeps outputs and numbers', async () => {
    const { followed, write, print, cells, disk } = await parts();
    print(0, 'one', 1);
    print(1, 'two', 2);
    write(...disk(), words('new', '# New'));
    await followed.check();
    expect(cells().map(({ id }) => id)).toEqual(['asks', 'prints', 'new']);
    expect(cells()[0].outputs).toEqual([stream('one')]);
    expect(cells()[1].execution_count).toBe(2);
    expect(followed.conflict).toBeNull();
  });

  it('is saved on top of what others have written', async () => {
    const { followed, write, print, disk } = await parts();
    print(0, 'one', 1);
    write(...disk(), words('new', '# New'));
    expect(await followed.save({ unlessConflict: true })).toBe(true);
    expect(disk().map(({ id }) => id)).toEqual(['asks', 'prints', 'new']);
    expect(disk()[0].outputs).toEqual([stream('one')]);
  });

  it('keeps what a save was to write that somebody else was faster than', async () => {
    const { context, followed, write, print, cells, disk } = await parts();
    const before = disk();
    print(0, 'one', 1);
    context.model.dirty = true;
    await followed.save();
    write(...before, words('new', '# New')); // made of what was there before the save
    print(1, 'two', 2);
    await followed.check();
    expect(cells().map(({ outputs }) => outputs ?? null)).toEqual([
      [stream('one')],
      [stream('two')],
      null
    ]);
  });

  it('takes in what was written before JupyterLab asked which version its save has made', async () => {
    const { context, followed, write, print, cells, disk, afterSave } = await parts();
    print(0, 'one', 1);
    context.model.dirty = true;
    afterSave.push(() => write(...disk(), words('new', '# New')));
    await followed.save();
    expect(context.contentsModel?.hash).toBe('h2'); // it takes the agent's version for its own
    await followed.check();
    expect(cells().map(({ id }) => id)).toContain('new');
  });

  it('asks where a person has typed, and does not save before a cell runs', async () => {
    const { context, followed, write, disk } = await parts();
    context.model.sharedModel.cells[1].setSource('print(2)');
    write(...disk(), words('new', '# New'));
    expect(await followed.save({ unlessConflict: true })).toBe(false);
    expect(followed.conflict).toBe('h1');
    expect(disk().map(({ id }) => id)).toContain('new');
    await followed.takeTheirs();
    expect(followed.conflict).toBeNull();
    expect(context.model.sharedModel.cells[1].getSource()).toBe('print(1)');
  });

  it('asks about what changes once more while a person types', async () => {
    const { context, followed, write, disk } = await parts();
    write(...disk(), words('new', '# New'));
    const work = followed.check();
    context.model.sharedModel.cells[1].setSource('print(2)');
    await work;
    expect(followed.conflict).not.toBeNull();
    expect(context.model.sharedModel.cells[1].getSource()).toBe('print(2)');
  });
});

describe('a save of JupyterLab’s own', () => {
  const dialogs = () => document.querySelectorAll('.jp-Dialog').length;

  it('takes in what an agent has written in between, and asks nothing', async () => {
    const { agents, context, write, print, disk } = await parts();
    agents.work = true;
    print(0, 'one', 1);
    write(...disk(), words('new', '# New'));
    await context.save();
    expect(dialogs()).toBe(0);
    expect(disk().map(({ id }) => id)).toEqual(['asks', 'prints', 'new']);
    expect(disk()[0].outputs).toEqual([stream('one')]);
  });

  it('waits for another save of this page, whose version it would take for somebody else’s', async () => {
    const { context, print, disk } = await parts();
    print(0, 'one', 1);
    const first = context.save();
    print(1, 'two', 2);
    await Promise.all([first, context.save()]);
    expect(dialogs()).toBe(0);
    expect(disk().map(({ outputs }) => outputs)).toEqual([[stream('one')], [stream('two')]]);
  });

  it('does not keep a change waiting, however often it is asked for', async () => {
    const { context, contents, followed, write, print, cells, disk } = await parts();
    let saves = 0;
    const save = contents.save.bind(contents);
    contents.save = async (...given) => {
      saves += 1;
      return save(...given);
    };
    print(0, 'one', 1);
    const first = context.save();
    const others = Array.from({ length: 20 }, () => context.save());
    await first;
    write(...disk(), words('new', '# New'));
    await followed.check();
    await Promise.all(others);
    expect(cells().map(({ id }) => id)).toContain('new');
    expect(saves).toBe(1);
  });

  it('leaves the choice to the strip if a person has typed, and then does what was chosen', async () => {
    const { agents, context, followed, write, disk } = await parts();
    agents.work = true;
    context.model.sharedModel.cells[1].setSource('print(2)');
    write(...disk(), words('new', '# New'));
    await expect(context.save()).rejects.toMatchObject({ name: 'ModalCancelError' });
    expect([dialogs(), agents.refused]).toEqual([0, 1]);
    expect(followed.conflict).toBe('h1');
    expect(disk()).toHaveLength(3);
    followed.keepMine();
    await context.save();
    expect(dialogs()).toBe(0);
    expect(disk().map(({ source }) => source)).toEqual(['%%agent', 'print(2)']);
    expect(context.contentsModel?.hash).toBe('h2');
  });

  it('is tried again where the server has refused it, because an agent wrote in that moment', async () => {
    const { context, contents, print, disk } = await parts();
    const save = contents.save.bind(contents);
    contents.save = async () => {
      contents.save = save;
      throw Object.assign(new Error('Conflict'), { response: { status: 409 } });
    };
    print(0, 'one', 1);
    await context.save();
    expect(dialogs()).toBe(0);
    expect(disk()[0].outputs).toEqual([stream('one')]);
  });

  it('does not ask about a shared document, whose room takes in its file', async () => {
    const { context, write, disk } = await parts();
    Object.defineProperty(context.model, 'collaborative', { value: true });
    write(...disk(), words('new', '# New'));
    await context.save();
    expect(dialogs()).toBe(0);
  });

  it('asks about what another program has written, once', async () => {
    const { context, write, disk } = await parts();
    context.model.sharedModel.cells[1].setSource('print(2)');
    write(...disk(), words('new', '# New'));
    const saved = context.save();
    await until(() => dialogs() === 1);
    await expect(context.save()).rejects.toMatchObject({ name: 'ModalDuplicateError' });
    document.querySelector<HTMLElement>('.jp-Dialog .jp-mod-reject')!.click();
    await expect(saved).rejects.toMatchObject({ name: 'ModalCancelError' });
    expect(disk()).toHaveLength(3);
  });
});
