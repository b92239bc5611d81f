import { readdirSync, readFileSync } from 'fs';
import { join } from 'path';

import { decodeFrame, encodeFrame, type ClientFrame } from './terminal';

// The server's tests read the same files: both sides use the frames in them.
const FOLDER = join(__dirname, '../../../tests/fixtures/frames');
const CLIENT = new Set([
  'attach',
  'resize',
  'request_control',
  'withdraw_request',
  'grant_control',
  'deny_control',
  'revoke_control',
  'ack',
  'reply',
  'signal',
  'ping'
]);
const files = readdirSync(FOLDER).filter(name => name.endsWith('.json'));
const golden = files.map(name => [name, readFileSync(join(FOLDER, name), 'utf8')] as const);

describe('cabinet.terminal.v1', () => {
  it('has golden frames', () => expect(golden.length).toBeGreaterThan(20));

  it.each(golden)('reads or writes %s as the server does', (_, text) => {
    const frame = JSON.parse(text) as { type: string };
    if (CLIENT.has(frame.type)) {
      expect(JSON.parse(encodeFrame(frame as ClientFrame))).toEqual(frame);
    } else {
      expect(decodeFrame(text)).toMatchObject(frame);
    }
  });

  it.each(['{"type":"from_the_future"}', '{"no":"type"}', 'null', '[]', '{', '', '3'])(
    'passes over %s',
    text => expect(decodeFrame(text)).toBeNull()
  );
});
