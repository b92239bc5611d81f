/**
 * What the editor shows where no session is: a card that says what this is, why, and one next step.
 */
import { addIcon, editIcon, lockIcon, refreshIcon, terminalIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { Run } from '../../api/types';
import { Commands, JUPYTER_TERMINAL } from '../../shared/commands';
import { CHECK_RUNTIMES } from '../../shared/lateCommands';
import { errorDiscIcon, warningIcon } from '../../shared/icons';
import { Button, Card, Icon, Ring } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { useServices } from './services';
import { Untrusted } from '../../shared/views/Untrusted';

export function EmptyCard(): React.ReactElement {
  const { attachable, trans, documentKind, focusComposer, runs, choices, editor } = useServices();
  const { connection, runtimes } = useServices();
  useChanges(runs.changed, choices.changed, attachable.changed);
  if (connection.health && !connection.mayRun) {
    return <></>; // a reader has seen a notice; nothing can be done here
  }
  if (editor.elsewhere && !editor.fresh) {
    return <ElsewhereCard run={editor.elsewhere} />;
  }
  if (runtimes.tellsNoneFound(editor.path) && !(runtimes.demo && choices.triedDemo)) {
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
      {trans.__('Write an instruction below. Type @ to mention a file.')}
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
          'It continues there. You can start a new session for %1 here.',
          documentName() ?? ''
        )}
      />
    </Card>
  );
}

function NoRuntimeCard(): React.ReactElement {
  const { focusComposer, run: execute, trans, runtimes, choices, editor } = useServices();
  const [help, setHelp] = React.useState(false);
  const missing = runtimes.products.filter(row => !row.found);
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
    <Card
      icon={<Icon icon={lockIcon} />}
      title={trans.__('You do not have permission to run agents')}
    >
      {trans.__(
        'Ask the owner of this server for permission to run them. You can read everything, but not send instructions or take control.'
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
          {has(JUPYTER_TERMINAL) && (
            <Button
              filled
              icon={terminalIcon}
              label={trans.__('Log in')}
              onClick={() => execute(JUPYTER_TERMINAL)}
            />
          )}
          <Button label={trans.__('Check again')} onClick={() => execute(CHECK_RUNTIMES)} />
        </>
      }
    >
      <Untrusted text={hint || trans.__('Log in once in a terminal.')} />
    </Card>
  );
}
