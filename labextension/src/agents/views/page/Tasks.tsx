/**
 * The agent's tasks, a column for each state. A task is moved with its menu, or with Alt and an arrow key.
 */
import * as React from 'react';

import type { Task } from '../../../api/types';
import { when } from '../../../shared/time';
import { useChanges } from '../../../shared/views/hooks';
import { Untrusted } from '../../../shared/views/Untrusted';
import { movesOf, TASK_STATES, taskWord } from '../../stores/page/words';
import { Choice, MayButton, Nothing, Refused } from '../parts';
import { useAsking } from '../hooks';
import { GivenInRun } from './SentInRun';
import { usePage, useWhyNot } from './services';

export function Tasks(): React.ReactElement {
  const { page, trans } = usePage();
  const { tasks } = page;
  useChanges(tasks.changed);
  const leftOut = tasks.value?.left_out ?? 0;
  const { ask, refusal } = useAsking();
  const move = (task: Task, status: Task['status']) =>
    void ask(() => page.move(task.id, status)).then(() =>
      document.getElementById(`jp-cabinet-task-${task.id}`)?.focus()
    );
  return (
    <div className="jp-Cabinet-page-tasks">
      <NewTask />
      <Refused text={refusal ?? tasks.problem} />
      {tasks.value?.problems.map(problem => (
        <Refused key={problem} text={problem} />
      ))}
      <div className="jp-Cabinet-page-board">
        {TASK_STATES.map(status => (
          <Column
            key={status}
            status={status}
            tasks={(tasks.value?.tasks ?? []).filter(task => task.status === status)}
            onMove={move}
          />
        ))}
      </div>
      {leftOut > 0 && (
        <p className="jp-Cabinet-quiet">
          {trans._n(
            '%1 task that was finished earlier is not shown.',
            '%1 tasks that were finished earlier are not shown.',
            leftOut
          )}
        </p>
      )}
      {tasks.value?.tasks.length === 0 && (
        <Nothing>
          {trans.__('No tasks yet. The agent receives new tasks with its next heartbeat.')}
        </Nothing>
      )}
    </div>
  );
}

function Column(props: {
  status: Task['status'];
  tasks: Task[];
  onMove: (task: Task, status: Task['status']) => void;
}): React.ReactElement {
  const { trans } = usePage();
  const title = React.useId();
  return (
    <section className="jp-Cabinet-page-column" data-status={props.status} aria-labelledby={title}>
      <h3 id={title}>
        {taskWord(props.status, trans)}{' '}
        <span className="jp-Cabinet-quiet">{props.tasks.length}</span>
      </h3>
      <ul className="jp-Cabinet-plain-list">
        {props.tasks.map(task => (
          <TaskCard key={task.id} task={task} onMove={to => props.onMove(task, to)} />
        ))}
      </ul>
    </section>
  );
}

function TaskCard(props: {
  task: Task;
  onMove: (status: Task['status']) => void;
}): React.ReactElement {
  const { task } = props;
  const { trans } = usePage();
  const why = useWhyNot();
  const moves = movesOf(task);
  const onKeyDown = (event: React.KeyboardEvent) => {
    const step = event.altKey ? { ArrowRight: 1, ArrowLeft: -1 }[event.key] : undefined;
    const to = step && TASK_STATES[TASK_STATES.indexOf(task.status) + step];
    if (to && moves.includes(to) && why === null) {
      event.preventDefault();
      props.onMove(to);
    }
  };
  return (
    <li
      id={`jp-cabinet-task-${task.id}`}
      className="jp-Cabinet-page-task"
      tabIndex={0}
      aria-keyshortcuts="Alt+ArrowRight Alt+ArrowLeft"
      onKeyDown={onKeyDown}
    >
      <strong>
        {trans.__('P%1', task.priority)} <Untrusted text={task.title} />
      </strong>
      {task.description && <Untrusted block text={task.description} />}
      {task.result && <Untrusted block className="jp-Cabinet-quiet" text={task.result} />}
      <span className="jp-Cabinet-page-task-foot">
        <span className="jp-Cabinet-quiet">
          <Untrusted text={trans.__('from %1', task.fromName || task.fromAgent)} />,{' '}
          {when(task.createdAt, new Date(), trans)} <GivenInRun task={task} />
        </span>
        {moves.length > 0 && (
          <Choice<Task['status']>
            label={trans.__('State of this task')}
            value={task.status}
            disabled={why !== null}
            options={[task.status, ...moves].map(each => [each, taskWord(each, trans)] as const)}
            onChoose={props.onMove}
          />
        )}
      </span>
    </li>
  );
}

function NewTask(): React.ReactElement {
  const { page, trans } = usePage();
  const why = useWhyNot();
  const { ask, isBusy, refusal } = useAsking();
  const words = page.words('task');
  const more = page.words('task description');
  useChanges(words.changed, more.changed);
  const title = words.text;
  const description = more.text;
  const [priority, setPriority] = React.useState('3');
  const give = async () => {
    const isGiven = await ask(() =>
      page.give({ title: title.trim(), description, priority: Number(priority) })
    );
    if (isGiven) {
      words.sent(title);
      more.sent(description);
    }
  };
  return (
    <form
      className="jp-Cabinet-page-new"
      aria-label={trans.__('New task')}
      onSubmit={event => {
        event.preventDefault();
        if (title.trim() && why === null && !isBusy) {
          void give();
        }
      }}
    >
      <input
        className="jp-Cabinet-page-field"
        aria-label={trans.__('Title')}
        placeholder={trans.__('New task')}
        maxLength={200}
        value={title}
        onChange={event => words.write(event.target.value)}
      />
      <input
        className="jp-Cabinet-page-field"
        aria-label={trans.__('Description')}
        placeholder={trans.__('Description')}
        value={description}
        onChange={event => more.write(event.target.value)}
      />
      <Choice
        label={trans.__('Priority (1 is the highest)')}
        value={priority}
        options={['1', '2', '3', '4', '5'].map(each => [each, `P${each}`] as const)}
        onChoose={setPriority}
      />
      <MayButton
        label={trans.__('Add task')}
        whyNot={why}
        busy={isBusy}
        disabled={!title.trim()}
        onClick={() => void give()}
      />
      <Refused text={refusal} />
      <input type="submit" hidden />
    </form>
  );
}
