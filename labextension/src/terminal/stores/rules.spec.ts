/** @jest-environment node */
import { readFileSync } from 'fs';
import { join } from 'path';

import { refusal } from './rules';
import { UNKNOWN, type ITerminalState } from './state';

const ADA = { username: 'ada', display_name: 'Ada Lind' };
const BEN = { username: 'ben', display_name: 'Ben Okoro' };
const NOW = new Date('2026-11-21T14:41:00Z');

interface ICase {
  agent_state: ITerminalState['agentState'];
  screen_open: boolean;
  controls: boolean;
  can_execute: boolean;
  refusal: ReturnType<typeof refusal>;
}

describe('who may type', () => {
  // The same table is read by the server's tests: both sides have one order of reasons.
  const file = join(__dirname, '../../../../tests/fixtures/rules/typing.json');
  const cases = JSON.parse(readFileSync(file, 'utf8')) as ICase[];

  it('has every case', () => expect(cases).toHaveLength(6 * 2 * 2 * 2));

  it.each(cases.map(each => [JSON.stringify(each), each] as const))(
    'is as the server says: %s',
    (_, each) => {
      const state: ITerminalState = {
        ...UNKNOWN,
        you: {
          ...ADA,
          can_execute: each.can_execute,
          primary: true,
          may_manage: false,
          may_share: false
        },
        controller: each.controls ? ADA : BEN,
        agentState: each.agent_state,
        exited: each.screen_open ? null : { code: 0, signal: null, at: NOW }
      };
      expect(refusal(state)).toBe(each.refusal);
    }
  );
});
