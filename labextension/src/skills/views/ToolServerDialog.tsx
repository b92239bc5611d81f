/**
 * A tool server that a person adds or changes.
 */
import { addIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { ToolServer } from '../../api/types';
import { DraftDialog, useDraft } from '../../shared/views/DraftDialog';
import { AreaField, CheckField, TextField } from '../../shared/views/fields';
import { changeOf, draftOf, newServer } from '../stores/toolLabels';
import { useSkills, useWhyNotDecide } from './services';

export function ToolServerDialog({ server }: { server: ToolServer | null }): React.ReactElement {
  const { toolServers, trans } = useSkills();
  const store = useDraft(() => draftOf(server));
  const { draft, wrong } = store;
  const { routes } = toolServers;
  return (
    <DraftDialog
      label={server ? trans.__('Edit %1', server.name) : trans.__('New tool server')}
      button={server ? trans.__('Save') : trans.__('Add')}
      icon={server ? undefined : addIcon}
      store={store}
      blocked={useWhyNotDecide()}
      isReady={draft.name.trim() !== '' && draft.program.trim() !== ''}
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
      <TextField
        autoFocus={server !== null}
        label={trans.__('Program')}
        hint={trans.__('The program on the server that starts it, such as npx.')}
        value={draft.program}
        wrong={wrong.program}
        onChange={program => store.write({ program })}
      />
      <AreaField
        isCode
        label={trans.__('Arguments')}
        hint={trans.__('One in each line, such as -y and @example/issues@1.4.0.')}
        value={draft.arguments}
        wrong={wrong.arguments}
        onChange={value => store.write({ arguments: value })}
      />
      <AreaField
        isCode
        label={trans.__('Variables')}
        hint={
          server
            ? trans.__('One in each line: NAME=value. A name without a value keeps its value.')
            : trans.__('One in each line: NAME=value. The values are kept secret.')
        }
        value={draft.environment}
        wrong={wrong.environment}
        onChange={environment => store.write({ environment })}
      />
      <CheckField
        label={trans.__('Also for agents of other people')}
        hint={trans.__('They see its name and its tools. Their agents get it with its variables.')}
        value={draft.shared}
        onChange={shared => store.write({ shared })}
      />
      {server && (
        <p>
          {trans.__(
            'With another program, other arguments or other variables, its tools have to be approved again.'
          )}
        </p>
      )}
    </DraftDialog>
  );
}
