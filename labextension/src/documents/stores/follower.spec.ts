/** With JupyterLab's own context and models over an in-memory server of contents. */
import { Context, TextModelFactory } from '@jupyterlab/docregistry';
import { ServiceManagerMock } from '@jupyterlab/services/lib/testutils';
import type { ServiceManager } from '@jupyterlab/services';

import { EventStream } from '../../api/events';
import { aRun } from '../../testing/samples';
import { FakeSocket, fakeServer, until } from '../../testing/fakes';
import { DocumentFollower } from './follower';
import { RunStore } from '../../runs/stores/runs';

type TextContext = Context<import('@jupyterlab/docregistry').DocumentRegistry.ICodeModel>;

async function parts(text = 'one\ntwo\n') {
  const services = new ServiceManagerMock() as unknown as ServiceManager.IManager;
  const { contents } = services;
  const { path } = await contents.newUntitled({ type: 'file', ext: '.md' });
  let version = 0;
  const write = async (content: string) => {
    version += 1;
    disk.hash = `h${version}`;
    disk.content = content;
  };
  const disk = { hash: 'h0', content: text };
  const plainGet = contents.get.bind(contents);
  contents.get = async (wanted, options) => {
    const model = await plainGet(wanted, options);
    return {
      ...model,
      ...disk,
      format: 'text',
      type: 'file',
      content: options?.content === false ? null : disk.content
    };
  };
  contents.save = async (_, model) => {
    await write(String(model?.content));
    return { ...(await contents.get(path)), content: null };
  };
  const context: TextContext = new Context({
    manager: services,
    factory: new TextModelFactory(),
    path
  });
  await context.initialize(false);
  const asked: string[] = [];
  const answer = { save: true };
  const { client } = fakeServer();
  const events = new EventStream(client);
  events.open();
  FakeSocket.last.open();
  const socket = FakeSocket.last;
  const follower = new DocumentFollower({
    contents,
    documents: {
      contexts: () => [context],
      pathOf: found => found.path,
      askToSave: async name => {
        asked.push(name);
        return answer.save;
      },
      keepScroll: async () => () => undefined
    },
    runs: new RunStore(client, events),
    events,
    username: () => 'ada'
  });
  const happen = (event: object) => socket.receive({ type: 'event', seq: 1, time: '', event });
  return { contents, context, follower, write, disk, asked, answer, path, happen };
}

/** As a person does: it leaves the document unsaved. */
function type(context: TextContext, text: string): void {
  const { sharedModel } = context.model;
  sharedModel.updateSource(0, sharedModel.getSource().length, text);
}

describe('DocumentFollower', () => {
  it('reads a changed file again, by an edit and without leaving it unsaved', async () => {
    const { context, follower, write } = await parts();
    const edits: unknown[] = [];
    context.model.sharedModel.changed.connect((_, change) => edits.push(change.sourceChange));
    await write('one\n2\n');
    await follower.check();
    expect(context.model.toString()).toBe('one\n2\n');
    expect(context.model.dirty).toBe(false);
    expect(context.contentsModel?.hash).toBe('h1');
    expect(edits[0]).toEqual([{ retain: 4 }, { insert: '2' }, { delete: 3 }]);
  });

  it('leaves the model’s own methods as they were', async () => {
    const { context, follower, write } = await parts();
    await write('x');
    await follower.check();
    context.model.fromString('theirs again');
    expect(context.model.toString()).toBe('theirs again');
  });

  it('never overwrites unsaved work: it asks', async () => {
    const { context, follower, write, path } = await parts();
    type(context, 'mine');
    await write('theirs');
    await follower.check();
    expect(context.model.toString()).toBe('mine');
    expect(follower.conflict(path)).toBe(true);
    expect(context.contentsModel?.hash).toBe('h0'); // saving still meets JupyterLab's own question
  });

  it('asks also if changes are not shown at once, and shows what waits when they are again', async () => {
    const { context, follower, write, path } = await parts();
    follower.followChanges = false;
    await write('theirs');
    await follower.check();
    expect([follower.conflict(path), follower.hasUnsaved(path)]).toEqual([true, false]);
    expect(context.model.toString()).not.toBe('theirs');
    type(context, 'mine');
    expect(follower.hasUnsaved(path)).toBe(true);
    context.model.dirty = false;
    follower.followChanges = true;
    await new Promise<void>(resolve => {
      const look = () => !follower.conflict(path) && resolve();
      follower.changed.connect(look);
    });
    expect(context.model.toString()).toBe('theirs');
  });

  it('says that a file cannot be read any more, and can be saved over it', async () => {
    const { contents, context, disk, follower, path, write } = await parts();
    const get = contents.get;
    contents.get = async (wanted, options) => {
      if (options?.content !== false && disk.content === 'broken') {
        throw new Error('400: it is not UTF-8 encoded');
      }
      return get(wanted, options);
    };
    await write('broken');
    await follower.check();
    expect(context.model.toString()).toBe('one\ntwo\n');
    expect([follower.conflict(path), follower.isUnreadable(path)]).toEqual([true, true]);
    await write('whole again');
    await follower.check();
    expect(context.model.toString()).toBe('whole again');
    expect([follower.conflict(path), follower.isUnreadable(path)]).toEqual([false, false]);
    await write('broken');
    await follower.check();
    follower.keepMine(path);
    expect(follower.isUnreadable(path)).toBe(false);
    type(context, 'mine');
    await context.save();
    expect(disk.content).toBe('mine');
  });

  it('keeps mine until the file changes once more', async () => {
    const { context, follower, write, path } = await parts();
    type(context, 'mine');
    await write('theirs');
    await follower.check();
    follower.keepMine(path);
    await follower.check();
    expect(follower.conflict(path)).toBe(false);
    await write('theirs, later');
    await follower.check();
    expect(follower.conflict(path)).toBe(true);
  });

  it('takes theirs when the person says so', async () => {
    const { context, follower, write, path } = await parts();
    type(context, 'mine');
    await write('theirs');
    await follower.check();
    await follower.takeTheirs(path);
    expect(context.model.toString()).toBe('theirs');
    expect(context.model.dirty).toBe(false);
    expect(follower.conflict(path)).toBe(false);
  });

  it('saves unsaved work before a run, after asking', async () => {
    const { context, follower, asked, disk, path } = await parts();
    type(context, 'mine');
    expect(await follower.prepare(path)).toBe(true);
    expect(asked).toEqual([path]);
    expect(disk.content).toBe('mine');
    expect(follower.savedFirst(path)).toBe(true);
  });

  it('lets no run start when the person does not want to save', async () => {
    const { context, follower, answer, disk, path } = await parts();
    answer.save = false;
    type(context, 'mine');
    expect(await follower.prepare(path)).toBe(false);
    expect(disk.content).toBe('one\ntwo\n');
  });

  it('asks nothing where all is saved', async () => {
    const { follower, asked, path } = await parts();
    expect(await follower.prepare(path)).toBe(true);
    expect(asked).toEqual([]);
  });

  it('looks after each tool’s result and at the end of a run', async () => {
    const { context, follower, write, path, happen } = await parts();
    happen({ type: 'run_started', run: aRun({ path }) });
    expect(follower.editing(path)?.id).toBe('run-1');
    await until(() => FakeSocket.all.length === 2); // the events, and this run's output
    const output = FakeSocket.last;
    output.open();
    const say = (index: number, event: object) =>
      output.receive({ type: 'output', index, at: 0, event });
    await write('after a tool');
    say(0, { type: 'ToolCall', call_id: '1', tool: 'Edit', summary: '', input: {} });
    say(1, { type: 'ToolResult', call_id: '1', text: '', is_error: false });
    await until(() => context.model.toString() === 'after a tool');
    await write('at the end');
    happen({ type: 'run_finished', run: aRun({ path, state: 'succeeded' }) });
    await until(() => context.model.toString() === 'at the end');
    expect(follower.editing(path)).toBeNull();
  });

  it('looks at a checklist when its plan has marked something in it, also after the run', async () => {
    const { context, write, path, happen } = await parts();
    await write('- [x] marked');
    happen({ type: 'plan_changed', plan_id: 'p', checklist: path });
    await until(() => context.model.toString() === '- [x] marked');
  });

  it('saves, without a question, before a run from a cell that is this person’s', async () => {
    const { context, follower, disk, asked, path, happen } = await parts();
    type(context, 'unsaved');
    const run = { kind: 'cell', state: 'queued', path } as const;
    happen({ type: 'run_queued', run: aRun({ ...run, id: 'other', owner: 'ben' }) });
    happen({ type: 'run_queued', run: aRun({ ...run, id: 'sidebar', kind: 'editor' }) });
    happen({ type: 'run_started', run: aRun({ ...run, id: 'earlier', state: 'running' }) });
    expect(context.model.dirty).toBe(true);
    happen({ type: 'run_queued', run: aRun({ ...run, id: 'mine' }) });
    await until(() => !context.model.dirty && follower.savedFirst(path));
    expect(disk.content).toBe('unsaved');
    expect(asked).toEqual([]);
    type(context, 'written meanwhile');
    happen({ type: 'run_started', run: aRun({ ...run, id: 'mine', state: 'starting' }) });
    expect(context.model.dirty).toBe(true); // once for a run
  });

  it('tells when a document gets a new name, as a shared one does that a colleague renames', async () => {
    const { context, follower } = await parts();
    follower.follow();
    const told = jest.fn();
    follower.changed.connect(told);
    await context.rename('renamed.md');
    expect(context.path).toBe('renamed.md');
    expect(told).toHaveBeenCalled();
  });
});
