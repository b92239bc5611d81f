/**
 * The states of the editor that are one card: what this is, why, and one next step.
 */
import { addIcon, editIcon, lockIcon, refreshIcon, terminalIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { Run } from '../../api/types';
import { Commands } from '../../shared/commands';
import { clockIcon, errorDiscIcon, warningIcon } from '../../shared/icons';
import type { Notice } from '../stores/notices';
import { isDenied, runLabel } from '../../runs';
import { Button, Card, Icon, Ring, StateMark } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { useServices } from './services';
import { Untrusted } from '../../shared/views/Untrusted';

const NEW_TERMINAL = 'terminal:create-new';

export function EmptyCard(): React.ReactElement {
  const { attachable, trans, documentKind, focusComposer, runs, choices, editor } = useServices();
  const { connection, runtimes } = useServices();
  useChanges(runs.changed, choices.changed, attachable.changed);
  if (connection.health && !connection.mayRun) {
    return <></>; // a reader has been told; nothing here could be done
  }
  if (editor.elsewhere && !editor.fresh) {
    return <ElsewhereCard run={editor.elsewhere} />;
  }
  if (
    runtimes.tellsNoneFound(editor.path) &&
    !(runtimes.demo && choices.chose(runtimes.demo.name))
  ) {
    return <NoRuntimeCard />;
  }
  if (editor.path === null) {
    return (
      <Card icon={<Icon icon={editIcon} />} title={trans.__('No document is open')}>
        {trans.__('Open a notebook or a file, then write an instruction below.')}
      </Card>
    );
  }
  const attached = editor.drafts.get(editor.path).attachments.map(piece => piece.kind);
  const piece = attachable.offered().find(offer => !attached.includes(offer.kind));
  return (
    <Card
      icon={<Icon icon={editIcon} />}
      title={
        documentKind() === 'notebook'
          ? trans.__('Ask an agent about this notebook')
          : trans.__('Ask an agent about this file')
      }
      actions={
        <>
          {piece && (
            <Button
              icon={addIcon}
              label={trans.__('Add %1', piece.title)}
              onClick={() => {
                editor.drafts.attach(editor.path, piece);
                focusComposer();
              }}
            />
          )}
          {editor.history.scope === 'document' && (
            <Button
              link
              label={trans.__('Sessions of all documents')}
              onClick={() => void editor.history.show({ scope: 'all' })}
            />
          )}
        </>
      }
    >
      {trans.__('Write an instruction below. @ mentions a file.')}
    </Card>
  );
}

function ElsewhereCard({ run }: { run: Run }): React.ReactElement {
  const { trans, documentName, focusComposer, openDocument, editor } = useServices();
  const name = run.path!.split('/').pop()!;
  const showIt = async () => {
    await openDocument(run.path!);
    await editor.open(run.session_id);
  };
  return (
    <Card
      icon={<Ring />}
      title={<Untrusted text={trans.__('A session is running on %1', name)} />}
      actions={
        <>
          <Button label={trans.__('Show it')} onClick={() => void showIt()} />
          <Button
            filled
            label={trans.__('Start here')}
            onClick={() => {
              editor.startFresh();
              focusComposer();
            }}
          />
        </>
      }
    >
      <Untrusted
        text={trans.__(
          'It goes on there. You can start a new session for %1 here.',
          documentName() ?? ''
        )}
      />
    </Card>
  );
}

function NoRuntimeCard(): React.ReactElement {
  const { focusComposer, run: execute, trans, runtimes, choices, editor } = useServices();
  const [help, setHelp] = React.useState(false);
  const missing = (runtimes.items ?? []).filter(row => !row.found);
  const { demo } = runtimes;
  const names = missing.map(row => row.title).join(', ');
  return (
    <Card
      icon={<Icon icon={warningIcon} />}
      title={trans.__('No agent CLI was found')}
      actions={
        <>
          {demo && (
            <Button
              filled
              label={trans.__('Try the demo agent')}
              onClick={() => {
                choices.chooseRuntime(demo.name);
                editor.startFresh();
                focusComposer();
              }}
            />
          )}
          <Button label={trans.__('Install help')} pressed={help} onClick={() => setHelp(!help)} />
          <Button
            icon={refreshIcon}
            label={trans.__('Check again')}
            onClick={() => void runtimes.load()}
          />
          <Button
            link
            label={trans.__('Agent runtimes')}
            onClick={() => execute(Commands.runtimes)}
          />
        </>
      }
    >
      {demo
        ? trans.__('Looked for %1. Install one, or try the demo agent, which needs no key.', names)
        : trans.__('Looked for %1. Install one, then check again.', names)}
      {help && (
        <dl className="jp-Cabinet-install">
          {missing.map(row => (
            <React.Fragment key={row.name}>
              <dt>
                <Untrusted text={row.title} />
              </dt>
              <dd>
                <Untrusted className="jp-Cabinet-code" text={row.install} />
                <Untrusted block className="jp-Cabinet-quiet" text={row.reason ?? ''} />
              </dd>
            </React.Fragment>
          ))}
        </dl>
      )}
    </Card>
  );
}

export function ReadOnlyCard(): React.ReactElement {
  const { trans } = useServices();
  return (
    <Card icon={<Icon icon={lockIcon} />} title={trans.__('You may not run agents here')}>
      {trans.__(
        'Ask the owner of this server for the right to run. Everything can be read; instructions and control are off.'
      )}
    </Card>
  );
}

export function NoticeCard({ notice }: { notice: Notice }): React.ReactElement {
  const { focusComposer, trans, editor } = useServices();
  if (notice.kind === 'trust') {
    return <TrustCard root={notice.trust.root} />;
  }
  return (
    <Card
      icon={<Icon icon={errorDiscIcon} />}
      title={trans.__('This was not done')}
      actions={
        <Button
          label={trans.__('Dismiss')}
          onClick={() => {
            editor.dismissNotice();
            focusComposer();
          }}
        />
      }
    >
      <Untrusted text={notice.message} />
    </Card>
  );
}

function TrustCard({ root }: { root: string }): React.ReactElement {
  const { focusComposer, trans, connection, editor } = useServices();
  useChanges(connection.changed);
  const inBrowser = connection.health?.you.in_browser ?? false;
  return (
    <Card
      className="jp-Cabinet-trust"
      icon={<Icon icon={lockIcon} />}
      title={trans.__('Trust this folder?')}
      actions={
        <>
          {inBrowser && (
            <Button
              filled
              label={trans.__('Trust this folder')}
              onClick={() => {
                void editor.confirmTrust();
                focusComposer();
              }}
            />
          )}
          <Button
            label={trans.__('Cancel')}
            onClick={() => {
              editor.dismissNotice();
              focusComposer();
            }}
          />
        </>
      }
    >
      <p>
        <Untrusted className="jp-Cabinet-code" text={root} />
      </p>
      <p>
        {trans.__(
          'Agents read and change files in this folder and run programs with the power of this server. Settings and instructions that lie in the folder steer them. Confirm only if you know where its files come from.'
        )}
      </p>
      {!inBrowser && <p>{trans.__('Only a person at a browser can confirm this.')}</p>}
    </Card>
  );
}

export function QueuedCard(): React.ReactElement {
  const { trans, runs } = useServices();
  useChanges(runs.changed);
  const working = runs.working.length;
  return (
    <Card
      icon={<Icon icon={clockIcon} />}
      title={
        working
          ? trans._n('%1 run is working', '%1 runs are working', working)
          : trans.__('Waiting for a place')
      }
    >
      {trans.__('This one starts when a place is free.')}
    </Card>
  );
}

export function FailedCard({ run }: { run: Run }): React.ReactElement {
  const { trans, run: execute, has, showOutput, runtimes } = useServices();
  const loggedOut = run.failure?.kind === 'not_logged_in';
  const hint = runtimes.items?.find(row => row.name === run.runtime)?.login_hint;
  const title = run.failure?.message || run.reason || trans.__('%1 stopped', run.runtime_title);
  return (
    <Card
      icon={<StateMark icon={runLabel(run, trans).icon} />}
      title={<Untrusted text={isDenied(run) ? trans.__('Denied: %1', title) : title} />}
      actions={
        <>
          {loggedOut && has(NEW_TERMINAL) && (
            <Button
              icon={terminalIcon}
              label={trans.__('Log in in a terminal')}
              onClick={() => execute(NEW_TERMINAL)}
            />
          )}
          <Button label={trans.__('Output')} onClick={() => void showOutput(run.id)} />
        </>
      }
    >
      {loggedOut && hint ? (
        <Untrusted text={hint} />
      ) : (
        run.reason !== title && <Untrusted text={run.reason} />
      )}
    </Card>
  );
}

export function NotLoggedInCard({
  title,
  hint
}: {
  title: string;
  hint: string;
}): React.ReactElement {
  const { trans, run: execute, has } = useServices();
  return (
    <Card
      icon={<Icon icon={errorDiscIcon} />}
      title={<Untrusted text={trans.__('%1 is not logged in', title)} />}
      actions={
        <>
          {has(NEW_TERMINAL) && (
            <Button
              filled
              icon={terminalIcon}
              label={trans.__('Log in')}
              onClick={() => execute(NEW_TERMINAL)}
            />
          )}
          <Button label={trans.__('Check again')} onClick={() => execute(Commands.checkRuntimes)} />
        </>
      }
    >
      <Untrusted text={hint || trans.__('Log in once in a terminal.')} />
    </Card>
  );
}
