import { blocksOf } from './blocks';
import { fold, type IFolded, NOTHING, type Row } from './output';
import { changedFiles, sectionsOf, toolGist } from './sections';
import type { AgentEvent } from '../../api/types';

function rowsOf(...events: [number, object][]): readonly Row[] {
  return events.reduce<IFolded>(
    (state, [at, event]) => fold(state, { at, event: event as AgentEvent }),
    NOTHING
  ).rows;
}

const call = (id: string, tool: string, summary: string, input: object = {}) => ({
  type: 'ToolCall',
  call_id: id,
  tool,
  summary,
  input
});
const result = (id: string, isError = false) => ({
  type: 'ToolResult',
  call_id: id,
  text: 'done',
  is_error: isError
});
const text = (words: string) => ({ type: 'TextBlock', text: words });

it('calls that follow each other are one section with the time they took', () => {
  const rows = rowsOf(
    [0, { type: 'SessionStarted', version: '1', model: null }],
    [1, text('I look.')],
    [2, call('a', 'Read', 'df.csv')],
    [3, result('a')],
    [3, call('b', 'Python', 'df.head()')],
    [5, result('b')],
    [6, text('Done.')]
  );
  const sections = sectionsOf(rows);
  expect(sections.map(({ kind }) => kind)).toEqual(['text', 'work', 'text']);
  expect(sections[1]).toMatchObject({ seconds: 4 });
  expect(toolGist(rows)).toBe('Read df.csv, Python');
});

it('a section keeps its key while rows are added', () => {
  const first = rowsOf([0, text('A')], [1, call('a', 'Read', 'x')]);
  const more = rowsOf([0, text('A')], [1, call('a', 'Read', 'x')], [2, call('b', 'Read', 'y')]);
  expect(sectionsOf(more).map(({ key }) => key)).toEqual(sectionsOf(first).map(({ key }) => key));
});

it('a file counts as changed when the call that writes it has succeeded', () => {
  const rows = rowsOf(
    [0, call('a', 'Edit', '', { file_path: 'a.md' })],
    [1, result('a')],
    [2, call('b', 'Write', '', { file_path: 'b.md' })],
    [3, result('b', true)],
    [4, call('c', 'NotebookEdit', '', { notebook_path: 'n.ipynb' })],
    [5, result('c')],
    [6, call('d', 'Edit', '', { file_path: 'a.md' })],
    [7, result('d')],
    [8, call('e', 'Read', '', { file_path: 'c.md' })],
    [9, result('e')],
    [10, call('f', 'apply_patch', 'a.md, b, c.md', { paths: ['a.md', 'b, c.md'] })],
    [11, result('f')]
  );
  expect(changedFiles(rows)).toEqual(['a.md', 'n.ipynb', 'b, c.md']);
});

describe('blocks', () => {
  const whole = (text: string) => expect(blocksOf(text).join('')).toBe(text);

  it('a paragraph after an empty line is a separate block', () => {
    expect(blocksOf('a\nb\n\nc')).toEqual(['a\nb\n\n', 'c']);
    whole('a\n\n\n\nb\n\n');
  });

  it('a fence and a list with empty lines stay whole', () => {
    expect(blocksOf('```py\na\n\nb\n```\n\nc')).toEqual(['```py\na\n\nb\n```\n\n', 'c']);
    expect(blocksOf('1. a\n\n2. b\n\n   c\n\nd')).toEqual(['1. a\n\n2. b\n\n   c\n\n', 'd']);
    expect(blocksOf('````\n```\n\nx\n````\n\ny')).toHaveLength(2);
  });

  it('only the last block changes while a text grows', () => {
    const text = 'one\n\ntwo\n\n```\nx\n\ny\n```\n\n- a\n\n- b\n\nend';
    let before: string[] = [];
    for (let length = 1; length <= text.length; length++) {
      const now = blocksOf(text.slice(0, length));
      expect(now.slice(0, before.length - 1)).toEqual(before.slice(0, -1));
      before = now;
    }
  });
});
