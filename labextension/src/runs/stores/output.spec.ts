import type { IOutput } from '../../api/output';
import type { AgentEvent } from '../../api/types';
import { FakeSocket, fakeServer } from '../../testing/fakes';
import { fold, NOTHING, OutputStore } from './output';

const folded = (...events: AgentEvent[]) =>
  events.map((event, at): IOutput => ({ at, event })).reduce(fold, NOTHING);

const call = (call_id: string): AgentEvent => ({
  type: 'ToolCall',
  call_id,
  tool: 'Read',
  summary: 'a.md',
  input: {}
});

describe('fold', () => {
  it('joins pieces of a text and puts the whole in their place', () => {
    const { rows } = folded(
      { type: 'TextDelta', text: 'I wi' },
      { type: 'TextDelta', text: 'll lo' },
      { type: 'TextBlock', text: 'I will look.' },
      { type: 'TextDelta', text: 'Next' }
    );
    expect(rows.map(row => row.kind === 'text' && row.text)).toEqual(['I will look.', 'Next']);
  });

  it('completes a text also where something else came before its end', () => {
    const { rows } = folded(
      { type: 'TextDelta', text: 'I wi' },
      { type: 'Warned', message: 'Slow' },
      { type: 'TextBlock', text: 'I will look.' }
    );
    expect(rows).toMatchObject([{ kind: 'text', text: 'I will look.' }, { kind: 'warning' }]);
  });

  it('puts each result to its call, also when they overlap', () => {
    const { rows } = folded(
      call('1'),
      call('2'),
      { type: 'ToolResult', call_id: '1', text: 'one', is_error: false },
      { type: 'ToolResult', call_id: '2', text: 'two', is_error: true },
      { type: 'ToolResult', call_id: 'unknown', text: 'x', is_error: false }
    );
    expect(rows.map(row => row.kind === 'tool' && row.result)).toEqual([
      { text: 'one', isError: false },
      { text: 'two', isError: true }
    ]);
  });

  it('marks a question as answered', () => {
    const { rows } = folded(
      {
        type: 'QuestionAsked',
        question_id: 'q',
        question: 'May I?',
        tool: '',
        asks: { type: 'choice', questions: [], more: [] },
        input: {},
        why: '',
        options: [],
        in_terminal: true
      },
      { type: 'QuestionAnswered', question_id: 'q' }
    );
    expect(rows).toMatchObject([{ kind: 'question', answered: true }]);
  });

  it('does not repeat the answer, but shows one that was not told before', () => {
    const told = folded(
      { type: 'TextBlock', text: 'Done.' },
      { type: 'AnswerFinished', text: 'Done.\n' }
    );
    expect(told.rows).toHaveLength(1);
    expect(folded({ type: 'AnswerFinished', text: 'Done.' }).rows).toHaveLength(1);
  });

  it('knows which question a call waited for, whichever of them came first', () => {
    const call = (id: string) =>
      ({ type: 'ToolCall', call_id: id, tool: 'Edit', summary: '', input: {} }) as const;
    const asked = (id: string) =>
      ({
        type: 'QuestionAsked',
        question_id: id,
        question: 'May it?',
        tool: 'Edit',
        asks: { type: 'choice', questions: [], more: [] },
        input: {},
        why: '',
        options: [],
        in_terminal: false
      }) as AgentEvent;
    const done = (id: string) =>
      ({ type: 'ToolResult', call_id: id, text: '', is_error: true }) as const;
    const calls = (...events: AgentEvent[]) =>
      folded(...events).rows.map(row => row.kind === 'tool' && [row.callId, row.questionId]);
    expect(calls(call('1'), asked('q1'), done('1'), call('2'))).toEqual([
      ['1', 'q1'],
      false,
      ['2', null]
    ]);
    expect(calls(asked('q1'), call('1'), asked('q2'), call('2'))).toEqual([
      false,
      ['1', 'q1'],
      false,
      ['2', 'q2']
    ]);
  });

  it('passes over what it does not know', () => {
    const unknown = { type: 'FromTheFuture' } as unknown as AgentEvent;
    expect(folded(unknown)).toBe(NOTHING);
  });
});

describe('OutputStore', () => {
  it('continues after a break where it stopped, and hears nothing twice', () => {
    jest.useFakeTimers();
    const store = new OutputStore(fakeServer().client, 'run-1');
    const tell = (index: number) =>
      FakeSocket.last.receive({
        type: 'output',
        index,
        at: index,
        event: { type: 'Warned', message: String(index) }
      });
    FakeSocket.last.open();
    tell(0);
    tell(1);
    FakeSocket.last.drop();
    jest.advanceTimersByTime(1000);
    expect(FakeSocket.last.url).toContain('since=2');
    FakeSocket.last.open();
    tell(1);
    tell(2);
    FakeSocket.last.receive({ type: 'end' });
    expect(store.folded.rows.map(row => row.at)).toEqual([0, 1, 2]);
    expect(store.ended).toBe(true);
    expect(FakeSocket.last.readyState).toBe(3);
    jest.useRealTimers();
  });
});
