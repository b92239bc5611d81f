/**
 * The menus of a terminal's toolbar.
 */
import { Commands } from '../../shared/commands';
import { PRIVATE_TERMINAL } from '../../shared/lateCommands';
import { isFree, others, tellsControl, youAsked, youControl } from '../stores/rules';
import { nameOf } from '../stores/labels';
import type { TerminalActions } from './actions';
import type { TerminalVerb } from './pageTerminals';
import type { IMenuEntry, ITerminalServices } from './services';

/** To whom control can be given. */
export function giveEntries(actions: TerminalActions): IMenuEntry[] {
  return others(actions.store!.state).map(person => ({
    label: nameOf(person),
    run: () => actions.act('give', person.username)
  }));
}

/** All that can be done now, for narrow panes and for those who look here first. */
export function moreEntries(actions: TerminalActions, services: ITerminalServices): IMenuEntry[] {
  const { trans } = services;
  const { state } = actions.store!;
  const requestLabel = youAsked(state)
    ? trans.__('Withdraw the request')
    : isFree(state)
      ? trans.__('Take control')
      : trans.__('Request control');
  const labels: [TerminalVerb, string][] = [
    ['request', requestLabel],
    ['release', trans.__('Release control')],
    ['pause', trans.__('Pause the agent')],
    ['resume', trans.__('Resume the agent')],
    ['stop', trans.__('Stop the agent')],
    ['agent', trans.__('Start an agent…')]
  ];
  const entry = ([verb, label]: [TerminalVerb, string]): IMenuEntry => ({
    label,
    run: () => actions.act(verb)
  });
  // Who is alone has nobody to leave control to.
  const isOffered = (verb: TerminalVerb) =>
    actions.can(verb) && (verb !== 'release' || tellsControl(state));
  const possible = labels.filter(([verb]) => isOffered(verb)).map(entry);
  const gives = youControl(state)
    ? others(state).map(person => ({
        label: trans.__('Give control to %1', nameOf(person)),
        run: () => actions.act('give', person.username)
      }))
    : [];
  const rest: [TerminalVerb, string][] = [
    ['find', trans.__('Find')],
    ['link', trans.__('Copy link')],
    ['share', trans.__('Share…')],
    ['private', trans.__('Make private')],
    ['record', state.recording ? trans.__('Stop recording') : trans.__('Record')],
    ['play', trans.__('Play recording')]
  ];
  return [
    ...possible,
    ...gives,
    ...(possible.length || gives.length ? (['separator'] as const) : []),
    ...rest.filter(([verb]) => actions.can(verb)).map(entry),
    'separator',
    { label: trans.__('New terminal'), run: () => services.run(Commands.newTerminal) },
    {
      label: trans.__('New private terminal'),
      run: () => services.run(PRIVATE_TERMINAL)
    },
    ...(actions.can('close') ? [entry(['close', trans.__('Close terminal')])] : [])
  ];
}
