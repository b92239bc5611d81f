/**
 * One run of the agent: its instruction and answer, the outcomes of its directives, what it used and changed.
 */
import { refreshIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { Effect, Run, SentPrompt } from '../../../api/types';
import { cost, isFinal, shownAnswer, startedBy, starterOf } from '../../../runs';
import { Answer, EventsPane, OpenPlan, RunState } from '../../../runs/views';
import { Commands } from '../../../shared/commands';
import { visible } from '../../../shared/untrusted';
import { Button, StateMark } from '../../../shared/views/components';
import { useChanges } from '../../../shared/views/hooks';
import { Loading } from '../../../shared/views/Loading';
import { Untrusted } from '../../../shared/views/Untrusted';
import { directiveParts, effectLabel, kindWord } from '../../stores/page/words';
import { MayButton, Nothing, Refused, Section } from '../parts';
import { useAsking, useResource } from '../hooks';
import { usePage, useWhyNot } from './services';

interface IPaneProps {
  runId: string;
  onRun: (id: string) => void;
}

export function RunPane({ runId, onRun }: IPaneProps): React.ReactElement {
  const { connection, page, trans } = usePage();
  useChanges(page.runs.changed, connection.changed);
  const [problem, setProblem] = React.useState<string | null>(null);
  const run = page.runs.get(runId);
  const isCut = run?.result?.cut ?? true;
  const { online } = connection;
  React.useEffect(() => {
    setProblem(null);
    page.runs.find(runId).catch((reason: Error) => setProblem(reason.message));
  }, [runId, isCut, online]);
  if (!run) {
    return problem ? <Refused text={problem} /> : <Loading label={trans.__('Loading the run')} />;
  }
  return <Known run={run} onRun={onRun} />;
}

function Known({ run, onRun }: { run: Run; onRun: (id: string) => void }): React.ReactElement {
  const { outputs, rendermime, trans } = usePage();
  return (
    <article className="jp-Cabinet-page-run" aria-label={trans.__('Run')}>
      <div className="jp-Cabinet-page-live-state">
        <RunState run={run} />
        <span className="jp-Cabinet-quiet" title={visible(run.trigger.source ?? '') || undefined}>
          {`${kindWord(run.kind, trans)}, `}
          <StartedBy run={run} />
        </span>
      </div>
      <Actions run={run} onRun={onRun} />
      {run.reason && run.state !== 'succeeded' && (
        <Untrusted block className="jp-Cabinet-page-text" text={run.reason} />
      )}
      {isFinal(run) ? (
        <Section title={trans.__('Answer')}>
          {run.result?.text ? (
            <Answer text={shownAnswer(run.result.text, trans)} rendermime={rendermime} />
          ) : (
            <Nothing>{trans.__('It gave no answer.')}</Nothing>
          )}
          {run.result?.cut && <Nothing>{trans.__('Only the beginning is shown.')}</Nothing>}
        </Section>
      ) : (
        <div className="jp-Cabinet-page-live">
          <EventsPane run={run} outputs={outputs} rendermime={rendermime} />
        </div>
      )}
      <Effects run={run} />
      <Used run={run} />
      <Prompt run={run} />
    </article>
  );
}

/** Leads to the run whose agent has started this one, if there is one. */
function StartedBy({ run }: { run: Run }): React.ReactElement {
  const { connection, openRun, trans } = usePage();
  const words = visible(startedBy(run, connection.username, trans));
  const starter = starterOf(run);
  return starter && openRun ? (
    <Button
      link
      label={words}
      title={trans.__('Show the run that started this one')}
      onClick={() => openRun(starter)}
    />
  ) : (
    <>{words}</>
  );
}

function Actions({ run, onRun }: { run: Run; onRun: (id: string) => void }): React.ReactElement {
  const { page, run: execute, trans } = usePage();
  const why = useWhyNot();
  const { ask, isBusy, refusal } = useAsking();
  useChanges(page.drafts.changed);
  const words = page.again(run);
  const [isJustOpened, setJustOpened] = React.useState(false);
  const { changed } = run;
  const start = (what: () => Promise<Run>) =>
    void ask(async () => {
      const begun = await what();
      page.forgetAgain(run);
      onRun(begun.id);
    });
  const whyNotRetry =
    why ??
    (!isFinal(run)
      ? trans.__('The run has not ended yet.')
      : run.kind !== 'heartbeat' && !run.instruction
        ? trans.__(
            'This run cannot be retried here. Start it again from its source, such as its play.'
          )
        : null);
  return (
    <>
      <div className="jp-Cabinet-page-bar">
        {changed !== null && changed.files > 0 && (
          <Button
            label={trans._n('Review %1 file', 'Review %1 files', changed.files)}
            onClick={() => execute(Commands.review, { run: run.id })}
          />
        )}
        <OpenPlan run={run} />
        <MayButton
          icon={refreshIcon}
          label={trans.__('Retry')}
          whyNot={whyNotRetry}
          busy={isBusy}
          onClick={() => start(() => page.retry(run))}
        />
        <Button
          label={trans.__('Run again with…')}
          disabled={why !== null}
          title={why ?? undefined}
          expanded={words !== null}
          onClick={() => {
            setJustOpened(true);
            if (words) {
              page.forgetAgain(run);
            } else {
              page.beginAgain(run, ownWords(run));
            }
          }}
        />
      </div>
      <Refused text={refusal} />
      {words !== null && (
        <div className="jp-Cabinet-page-form">
          <textarea
            className="jp-Cabinet-page-area"
            aria-label={trans.__('Instruction')}
            rows={4}
            autoFocus={isJustOpened}
            value={words.text}
            onChange={event => words.write(event.target.value)}
          />
          <p className="jp-Cabinet-quiet">
            {trans.__(
              'The agent receives this message together with its memory. Directives in its answer are not carried out.'
            )}
          </p>
          <MayButton
            filled
            label={trans.__('Run')}
            whyNot={why}
            disabled={!words.text.trim()}
            busy={isBusy}
            onClick={() => start(() => page.instruct(words.text))}
          />
        </div>
      )}
    </>
  );
}

/** The outcome of each directive, with the reason of a refusal. */
function Effects({ run }: { run: Run }): React.ReactElement | null {
  const { page, trans } = usePage();
  const effects = useResource(() => page.effects(run.id), run.id);
  if (!effects.value?.length) {
    return null;
  }
  return (
    <Section title={trans.__('Effects')}>
      <ul
        className="jp-Cabinet-plain-list jp-Cabinet-page-effects"
        aria-label={trans.__('Effects')}
      >
        {effects.value.map(effect => {
          const { icon, label } = effectLabel(effect, trans);
          const { rest, word } = directiveParts(effect.directive);
          return (
            <li key={effect.id} data-state={effect.state}>
              <StateMark icon={icon} />
              <code>{word}</code>
              <span>
                <Untrusted text={rest} />
                <span className="jp-Cabinet-page-effect-state">
                  {effect.reason ? (
                    <Untrusted text={trans.__('%1: %2', label, effect.reason)} />
                  ) : (
                    label
                  )}
                </span>
                {effect.state === 'held' && (
                  <Decide effect={effect} onDecided={() => void effects.load()} />
                )}
              </span>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

/** Whether what a run that has read text from outside wants may be done. */
function Decide(props: { effect: Effect; onDecided: () => void }): React.ReactElement {
  const { effect, onDecided } = props;
  const { page, trans } = usePage();
  const run = page.runs.get(effect.run_id);
  const why = useWhyNot(run ?? null);
  const { ask, isBusy, refusal } = useAsking();
  const decide = (isAllowed: boolean) => () =>
    void ask(() => page.decide(effect, isAllowed)).then(onDecided);
  const buttons: [string, boolean][] = [
    [trans.__('Deny'), false],
    [trans.__('Allow'), true]
  ];
  return (
    <>
      <span className="jp-Cabinet-page-actions">
        {buttons.map(([label, isAllowed]) => (
          <MayButton
            key={label}
            label={label}
            whyNot={why}
            busy={isBusy}
            onClick={decide(isAllowed)}
          />
        ))}
      </span>
      <Refused text={refusal} />
    </>
  );
}

/** Usage and cost, as the CLI has reported them. */
function Used({ run }: { run: Run }): React.ReactElement {
  const { trans } = usePage();
  const { usage } = run;
  const tokens = usage
    ? trans.__(
        '%1 tokens in, %2 out',
        usage.input_tokens.toLocaleString('en'),
        usage.output_tokens.toLocaleString('en')
      )
    : trans.__('tokens unknown');
  return (
    <p className="jp-Cabinet-page-text jp-Cabinet-quiet">
      {[run.runtime_title, tokens, cost(run.cost_usd) ?? trans.__('cost unknown')].join(', ')}
    </p>
  );
}

/** Read when it is unfolded, and with each state of the run until something was sent. */
function Prompt({ run }: { run: Run }): React.ReactElement {
  const { page, trans } = usePage();
  const [isOpen, setOpen] = React.useState(false);
  const [sent, setSent] = React.useState<SentPrompt | null>(null);
  const { ask, refusal } = useAsking();
  const isSent = Boolean(sent?.prompt || sent?.system);
  React.useEffect(() => {
    if (isOpen && !isSent) {
      void ask(async () => setSent(await page.sentPrompt(run.id)));
    }
  }, [isOpen, isSent, run.id, run.state]);
  return (
    <details
      className="jp-Cabinet-page-prompt"
      onToggle={event => setOpen(event.currentTarget.open)}
    >
      <summary>{trans.__('Prompt as sent')}</summary>
      <Refused text={refusal} />
      {sent !== null && !isSent && (
        <Nothing>
          {isFinal(run)
            ? trans.__('Nothing was sent, or the prompt was not kept.')
            : trans.__('Nothing has been sent yet.')}
        </Nothing>
      )}
      {[sent?.system, sent?.prompt].map(
        (text, index) =>
          text && (
            <Untrusted key={index} block className="jp-Cabinet-page-prompt-text" text={text} />
          )
      )}
    </details>
  );
}

/** What somebody has said; a heartbeat is only called something. */
function ownWords({ instruction, kind }: Run): string {
  return kind === 'heartbeat' ? '' : instruction;
}
