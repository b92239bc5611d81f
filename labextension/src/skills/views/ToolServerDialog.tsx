/**
 * A tool server that a person adds or changes.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import { addIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { ToolServer } from '../../api/types';
import type { DraftStore } from '../../shared/draft';
import { DraftDialog, useDraft } from '../../shared/views/DraftDialog';
import { AreaField, CheckField, ChoiceField, TextField } from '../../shared/views/fields';
import { changeOf, draftOf, isComplete, newServer, type IServerDraft } from '../stores/toolLabels';
import { useSkills, useWhyNotDecide } from './services';

export function ToolServerDialog(props: {
  /** Null: a new one. */
  server: ToolServer | null;
  filled?: IServerDraft;
}): React.ReactElement {
  const { filled, server } = props;
  const { toolServers, trans } = useSkills();
  const store = useDraft(() => filled ?? draftOf(server));
  const { draft, wrong } = store;
  const { routes } = toolServers;
  const parts = { isNew: server === null, store, trans };
  return (
    <DraftDialog
      label={server ? trans.__('Edit %1', server.name) : trans.__('New tool server')}
      button={server ? trans.__('Save') : trans.__('Add')}
      icon={server ? undefined : addIcon}
      store={store}
      blocked={useWhyNotDecide()}
      isReady={isComplete(draft)}
      send={async now =>
        toolServers.take(
          server
            ? await routes.change(server.name, changeOf(now, server))
            : await routes.add(newServer(now))
        )
      }
      onClose={() => toolServers.show(null)}
      trans={trans}
    >
      {!server && (
        <TextField
          autoFocus
          label={trans.__('Name')}
          hint={trans.__('Lowercase letters, digits and hyphens, such as issues.')}
          value={draft.name}
          wrong={wrong.name}
          onChange={name => store.write({ name })}
        />
      )}
      {!server && (
        <ChoiceField
          label={trans.__('Kind')}
          value={draft.kind}
          options={[
            ['program', trans.__('A program on the server')],
            ['address', trans.__('Remote, at an address')]
          ]}
          onChange={kind => store.write({ kind })}
        />
      )}
      {draft.kind === 'program' ? <Local {...parts} /> : <Remote {...parts} />}
      <CheckField
        label={trans.__('Also for agents of other people')}
        hint={trans.__(
          'They see its name and its tools. Their agents get it with its variables or headers.'
        )}
        value={draft.shared}
        onChange={shared => store.write({ shared })}
      />
      {server && (
        <p>
          {draft.kind === 'program'
            ? trans.__(
                'If you change the program, its arguments or its variables, you must approve all its tools again.'
              )
            : trans.__(
                'If you change the address or the headers, you must approve all its tools again.'
              )}
        </p>
      )}
    </DraftDialog>
  );
}

interface IPartProps {
  isNew: boolean;
  store: DraftStore<IServerDraft>;
  trans: TranslationBundle;
}

/** How a tool server is started. */
function Local({ isNew, store, trans }: IPartProps): React.ReactElement {
  const { draft, wrong } = store;
  return (
    <>
      <TextField
        autoFocus={!isNew}
        label={trans.__('Program')}
        hint={trans.__(
          'The program that starts the tool server, such as npx. It must be installed where Jupyter runs.'
        )}
        value={draft.program}
        wrong={wrong.program}
        onChange={program => store.write({ program })}
      />
      <AreaField
        isCode
        label={trans.__('Arguments')}
        hint={trans.__('One per line, such as -y and @example/issues@1.4.0.')}
        value={draft.arguments}
        wrong={wrong.arguments}
        onChange={value => store.write({ arguments: value })}
      />
      <AreaField
        isCode
        label={trans.__('Variables')}
        hint={
          isNew
            ? trans.__('One per line: NAME=value. The values are kept secret.')
            : trans.__('One per line: NAME=value. A name without a value keeps its value.')
        }
        value={draft.environment}
        wrong={wrong.environment}
        onChange={environment => store.write({ environment })}
      />
    </>
  );
}

/** Where a tool server is reached. */
function Remote({ isNew, store, trans }: IPartProps): React.ReactElement {
  const { draft, wrong } = store;
  return (
    <>
      <TextField
        autoFocus={!isNew}
        label={trans.__('Address')}
        hint={trans.__('Such as https://mcp.example.com/mcp. Write no secrets into it.')}
        value={draft.address}
        wrong={wrong.address}
        onChange={address => store.write({ address })}
      />
      <AreaField
        isCode
        label={trans.__('Headers')}
        hint={
          isNew
            ? trans.__(
                'One per line, such as Authorization: Bearer … The values are kept secret. ${NAME} stands for a variable of the server.'
              )
            : trans.__('One per line: Name: value. A name without a value keeps its value.')
        }
        value={draft.headers}
        wrong={wrong.headers}
        onChange={headers => store.write({ headers })}
      />
    </>
  );
}
