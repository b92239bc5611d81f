/**
 * The player of a recording: the same screen as a live terminal's, fed from the file.
 */
import { refreshIcon, runIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { pauseIcon } from '../../shared/icons';
import { marks } from '../stores/asciicast';
import { Player, SPEEDS, STEP } from '../stores/player';
import { visible } from '../../shared/untrusted';
import { clock, playTime } from '../../shared/time';
import { Button, Card, Strip } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import {
  TerminalActions,
  loadTerminalView,
  useTerminals,
  type TerminalView
} from '../../terminal/views';
import type { RecordingStore } from '../stores/recording';
import { useRecording } from './useRecording';

export function PlayerPane(props: {
  recordingId: string;
  onName: (name: string) => void;
}): React.ReactElement {
  const { trans } = useTerminals();
  const store = useRecording(props.recordingId);
  const { recording, problem, timeline } = store;
  const host = React.useRef<HTMLDivElement>(null);
  const player = usePlayer(host);
  React.useEffect(() => player?.load(timeline), [player, timeline]);
  React.useEffect(() => {
    if (recording) {
      props.onName(recording.name);
    }
  }, [recording?.name]);
  return (
    <div
      className="jp-Cabinet-terminal jp-Cabinet-player"
      tabIndex={-1}
      data-first-focus
      onKeyDown={event => player && onKey(event, player)}
    >
      {problem !== null && (
        <Card title={trans.__('This recording cannot be played')}>{visible(problem)}</Card>
      )}
      {recording !== null && recording.dropped_parts > 0 && (
        <Strip>
          {trans.__('The beginning was removed because the recording became too large.')}
        </Strip>
      )}
      <div className="jp-Cabinet-terminal-frame">
        <div
          ref={host}
          className="jp-Cabinet-terminal-screen"
          role="region"
          aria-label={trans.__('Recorded terminal')}
        />
      </div>
      {player && problem === null && <Controls player={player} store={store} />}
    </div>
  );
}

function usePlayer(host: React.RefObject<HTMLDivElement>): Player | null {
  const services = useTerminals();
  const { appearance, confirmLink, trans } = services;
  const [player, setPlayer] = React.useState<Player | null>(null);
  React.useEffect(() => {
    let view: TerminalView | null = null;
    let made: Player | null = null;
    let actions: TerminalActions | null = null;
    let gone = false;
    void loadTerminalView().then(({ TerminalView }) => {
      if (!gone && host.current) {
        const { fontSize, screenReader } = appearance;
        const frameLabel = trans.__('Recorded screen');
        view = new TerminalView(host.current, { fontSize, screenReader, confirmLink, frameLabel });
        actions = new TerminalActions(view, services, () => undefined);
        made = new Player(view.playback());
        setPlayer(made);
      }
    });
    const restyle = () => view?.restyle(appearance.fontSize, appearance.screenReader);
    appearance.changed.connect(restyle);
    return () => {
      gone = true;
      appearance.changed.disconnect(restyle);
      actions?.dispose();
      made?.dispose();
      view?.dispose();
    };
  }, [appearance]);
  return player;
}

/** Time passes with the frames that are drawn; in a hidden tab it stands still. */
function useTicking(player: Player): void {
  const { playing } = player;
  React.useEffect(() => {
    if (!playing) {
      return;
    }
    let last = performance.now();
    let frame = requestAnimationFrame(function step(now) {
      player.tick(Math.min(1, Math.max(0, now - last) / 1000));
      last = now;
      frame = requestAnimationFrame(step);
    });
    return () => cancelAnimationFrame(frame);
  }, [player, playing]);
}

function onKey(event: React.KeyboardEvent, player: Player): void {
  const isControl = (event.target as HTMLElement).matches('button, select, input[type=checkbox]');
  const action = {
    ' ': isControl ? undefined : () => player.toggle(),
    ArrowLeft: () => player.seek(player.at - STEP),
    ArrowRight: () => player.seek(player.at + STEP),
    Home: () => player.seek(0),
    End: () => player.seek(player.timeline.seconds),
    '<': () => player.faster(-1),
    '>': () => player.faster(1)
  }[event.key];
  const isSelect = (event.target as HTMLElement).matches('select');
  if (action && !isSelect && !event.ctrlKey && !event.altKey && !event.metaKey) {
    event.preventDefault();
    event.stopPropagation();
    action();
  }
}

function Controls(props: { player: Player; store: RecordingStore }): React.ReactElement {
  const { player, store } = props;
  const { trans } = useTerminals();
  useChanges(player.changed);
  useTicking(player);
  const { recording, isLoading } = store;
  const total = player.timeline.seconds;
  const time = trans.__('%1 of %2', playTime(player.at), playTime(total));
  return (
    <div className="jp-Cabinet-player-bar" role="toolbar" aria-label={trans.__('Player controls')}>
      <Button
        bare
        className="jp-Cabinet-player-toggle"
        icon={player.playing ? pauseIcon : runIcon}
        label={player.playing ? trans.__('Pause') : trans.__('Play')}
        disabled={!player.timeline.parts.length}
        onClick={() => player.toggle()}
      />
      <SeekBar player={player} label={time} />
      <span className="jp-Cabinet-player-time" title={recording ? startedAt(recording) : ''}>
        {time}
      </span>
      <Speed player={player} />
      <label className="jp-Cabinet-player-check">
        <input
          type="checkbox"
          checked={player.squeezed}
          onChange={event => player.squeeze(event.target.checked)}
        />
        {trans.__('Skip pauses')}
      </label>
      <Jump player={player} />
      {recording?.ended_at === null && (
        <Button
          bare
          icon={refreshIcon}
          label={trans.__('Load the newest part of the recording')}
          disabled={isLoading}
          onClick={() => void store.load()}
        />
      )}
    </div>
  );
}

function startedAt(recording: { started_at: string }): string {
  const date = new Date(recording.started_at);
  return `${date.toLocaleDateString()} ${clock(date)}`;
}

function SeekBar({ player, label }: { player: Player; label: string }): React.ReactElement {
  const { trans } = useTerminals();
  const total = player.timeline.seconds;
  return (
    <span className="jp-Cabinet-player-seek">
      <input
        type="range"
        aria-label={trans.__('Position')}
        aria-valuetext={label}
        min={0}
        max={total || 1}
        step={0.1}
        value={player.at}
        disabled={!total}
        onChange={event => player.seek(Number(event.target.value))}
      />
      {total > 0 &&
        marks(player.timeline).map((mark, index) => (
          <span
            key={index}
            className="jp-Cabinet-player-mark"
            style={{ left: `${(mark.at / total) * 100}%` }}
            title={visible(mark.data)}
          />
        ))}
    </span>
  );
}

function Speed({ player }: { player: Player }): React.ReactElement {
  const { trans } = useTerminals();
  return (
    <select
      className="jp-Cabinet-select"
      aria-label={trans.__('Speed')}
      value={player.speed}
      onChange={event => player.setSpeed(Number(event.target.value))}
    >
      {SPEEDS.map(speed => (
        <option key={speed} value={speed}>
          {`${speed} ×`}
        </option>
      ))}
    </select>
  );
}

/** The runs in the recording; choosing one goes to its beginning. */
function Jump({ player }: { player: Player }): React.ReactElement | null {
  const { trans } = useTerminals();
  const runs = marks(player.timeline);
  return runs.length ? (
    <select
      className="jp-Cabinet-select jp-Cabinet-player-jump"
      aria-label={trans.__('Jump to a run')}
      value=""
      onChange={event => player.seek(runs[Number(event.target.value)].at)}
    >
      <option value="" disabled>
        {trans.__('Jump to a run')}
      </option>
      {runs.map((mark, index) => (
        <option key={index} value={index}>
          {`${playTime(mark.at)}  ${visible(mark.data)}`}
        </option>
      ))}
    </select>
  ) : null;
}
