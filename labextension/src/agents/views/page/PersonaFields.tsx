/**
 * The usual fields of a persona as a form, with lists to choose from wherever there are some.
 */
import * as React from 'react';

import type { AgentDetail, PermissionMode } from '../../../api/types';
import { runnersOf } from '../../../runs';
import { permissionLabel, permissionModes } from '../../../runtimes';
import { Button } from '../../../shared/views/components';
import { useChanges } from '../../../shared/views/hooks';
import { MayButton, Refused } from '../parts';
import { type IFormProps, SelectField, SwitchField, TextField } from './personaControls';
import { PersonaGoals } from './PersonaGoals';
import { PersonaSchedule } from './PersonaSchedule';
import { PersonaSkills, PersonaToolServers } from './PersonaLibrary';
import { PersonaTools } from './PersonaTools';
import { usePage } from './services';

import '../../../../style/persona.css';

/** As the server has it for a persona that says nothing. */
const DEFAULT_MODE: PermissionMode = 'edit';
const MODES: readonly PermissionMode[] = ['ask', 'edit', 'bypass'];

export function PersonaFields(props: {
  agent: AgentDetail;
  whyNot: string | null;
}): React.ReactElement {
  const { agent, whyNot } = props;
  const { page, trans } = usePage();
  const form = page.fields(agent);
  useChanges(form.changed);
  React.useEffect(() => form.look(agent), [form, agent]);
  const given = { form, whyNot };
  return (
    <form
      className="jp-Cabinet-page-fields"
      aria-label={trans.__('Fields of the persona')}
      noValidate
      onSubmit={event => {
        event.preventDefault();
        if (whyNot === null) {
          void form.save();
        }
      }}
    >
      <TextField {...given} name="name" label={trans.__('Name')} />
      <TextField {...given} name="emoji" label={trans.__('Emoji')} />
      <TextField {...given} name="role" label={trans.__('Role')} />
      <TextField {...given} name="department" label={trans.__('Department')} />
      <TextField {...given} name="tags" label={trans.__('Tags, separated by commas')} />
      <Runtime {...given} agent={agent} />
      <TextField {...given} name="workdir" label={trans.__('Folder')} />
      <SwitchField
        {...given}
        name="isolate"
        isUsual={false}
        label={trans.__(
          'Work only isolated. Almost everything but the agent’s folder and its model service is out of reach, and a run that cannot be isolated is refused.'
        )}
      />
      <TextField
        {...given}
        name="network"
        label={trans.__('Network hosts, separated by commas')}
        hint={trans.__(
          'Hosts that an isolated run can reach besides its model service, such as api.example.com. “packages” allows package indexes and GitHub, “open” allows every public host.'
        )}
      />
      <Runner {...given} />
      <PersonaTools {...given} />
      <SwitchField
        {...given}
        name="starts_agents"
        isUsual={false}
        label={trans.__(
          'May start other agents. It gives them instructions, waits for their answers and continues these conversations, at most 5 times in each run.'
        )}
      />
      <TextField
        {...given}
        name="browser_actions"
        label={trans.__('May ask of your browser, separated by commas')}
        hint={trans.__(
          '“notify” shows you notifications, “open” offers you to open files, “clipboard” offers you texts to copy. At most 5 times in each run.'
        )}
      />
      <PersonaSkills {...given} />
      <PersonaToolServers {...given} />
      <SwitchField
        {...given}
        name="proposes_tool_servers"
        isUsual={false}
        label={trans.__(
          'May propose tool servers. They do nothing until a person has started them and approved their tools.'
        )}
      />
      <PersonaSchedule {...given} agent={agent} />
      <PersonaGoals {...given} />
      <Saving {...given} />
      <input type="submit" hidden />
    </form>
  );
}

/** Which CLI it works with, and how careful it is there. */
function Runtime(props: IFormProps & { agent: AgentDetail }): React.ReactElement {
  const { agent, form } = props;
  const { runtimes, runtimeTitle, trans } = usePage();
  useChanges(runtimes.changed);
  const written = form.field('runtime').text;
  // The file may have another name for it, such as `claude-code`.
  const name = form.isChanged('runtime') ? written : written && (agent.runtime ?? written);
  const row = name ? runtimes.get(name) : runtimes.default;
  const isListed = written === '' || runtimes.get(written) !== undefined;
  const title = runtimeTitle(name);
  const isFound = row !== undefined || runtimes.items === null;
  const unlisted = isFound ? title : trans.__('%1 (not found)', title);
  const mode = form.field('permission_mode').text || DEFAULT_MODE;
  const offered = row ? permissionModes(row) : MODES;
  return (
    <>
      <SelectField
        {...props}
        name="runtime"
        label={trans.__('Runtime')}
        options={[
          ['', trans.__('Default (%1)', runtimes.default?.title ?? '–')],
          ...runtimes.found.map(each => [each.name, each.title] as const),
          ...(isListed ? [] : [[written, unlisted] as const])
        ]}
      />
      <TextField
        {...props}
        name="model"
        label={trans.__('Model')}
        hint={trans.__('If empty, the default of the runtime is used.')}
      />
      <SelectField
        {...props}
        name="permission_mode"
        label={trans.__('Permission mode')}
        value={DEFAULT_MODE}
        options={MODES.filter(each => offered.includes(each) || each === mode).map(each => [
          each,
          offered.includes(each)
            ? permissionLabel(each, trans)
            : trans.__('%1 (not supported by this runtime)', permissionLabel(each, trans))
        ])}
      />
    </>
  );
}

/** Where its runs start. Shown if there is a choice, or the persona has made one. */
function Runner(props: IFormProps): React.ReactElement | null {
  const { connection, trans } = usePage();
  useChanges(connection.changed);
  const chosen = props.form.field('runner').text;
  const { offered, usual } = runnersOf(connection.health, chosen, trans);
  const containers = connection.health?.containers;
  const isContained = (chosen || connection.health?.cluster.runner) === 'docker';
  return (
    <>
      {(chosen || offered.length > 1) && (
        <SelectField
          {...props}
          name="runner"
          label={trans.__('Where it runs')}
          hint={trans.__(
            'On the cluster, runs have no terminal and are not isolated. In a container, they are isolated.'
          )}
          options={[['', trans.__('Default (%1)', usual)], ...offered]}
        />
      )}
      {(isContained || props.form.field('docker_image').text) && (
        <TextField
          {...props}
          name="docker_image"
          label={trans.__('Container image')}
          hint={
            containers?.image
              ? trans.__('If empty, the image of this server is used: %1', containers.image)
              : trans.__('This server has no containers.')
          }
        />
      )}
    </>
  );
}

function Saving({ form, whyNot }: IFormProps): React.ReactElement {
  const { trans } = usePage();
  const isWrong = form.isTried && Object.keys(form.wrong).length > 0;
  return (
    <>
      <Refused text={form.refusal} />
      {isWrong && <Refused text={trans.__('Nothing was saved. Correct the marked fields.')} />}
      {form.isConflict && (
        <p role="alert" className="jp-Cabinet-page-refused">
          {trans.__('The persona changed after you opened it, so nothing was saved.')}
        </p>
      )}
      <div className="jp-Cabinet-page-bar">
        {form.isConflict ? (
          <>
            <Button label={trans.__('Keep mine')} onClick={() => form.keepMine()} />
            <Button label={trans.__('Take theirs')} onClick={() => form.takeTheirs()} />
          </>
        ) : (
          <MayButton
            filled
            label={trans.__('Save fields')}
            whyNot={whyNot}
            busy={form.isBusy}
            disabled={!form.isDirty}
            onClick={() => void form.save()}
          />
        )}
      </div>
    </>
  );
}
