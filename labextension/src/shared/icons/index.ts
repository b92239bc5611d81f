/**
 * The icons of ours that the panels use; the rest comes from JupyterLab.
 */
import {
  agentIcon,
  chatIcon,
  diffIcon,
  draw,
  planIcon,
  playIcon,
  skillIcon,
  solid,
  stroke
} from './start';

export { agentIcon, chatIcon, diffIcon, planIcon, playIcon, skillIcon };

/** A disc that carries its state's colour, with a mark left open. */
const disc = (kind: string, mark: string) =>
  `<path class="jp-Cabinet-icon-${kind}" fill="#616161" fill-rule="evenodd" d="M12 2a10 10 0 100 20 10 10 0 000-20z${mark}"/>`;

export const clockIcon = draw(
  'clock',
  stroke('<circle cx="12" cy="12" r="9"/><path d="M12 7v5l3.5 2"/>')
);
/** Something that has not begun. */
export const pendingIcon = draw(
  'pending',
  stroke('<circle cx="12" cy="12" r="9" stroke-dasharray="4 3"/>')
);
const SHIELD = 'M12 3l7 3v5c0 4.500-3 8.300-7 10-4-1.700-7-5.500-7-10V6z';
export const shieldIcon = draw(
  'shield',
  stroke(`<path d="${SHIELD}"/><path d="M8.500 12l2.500 2.500 4.500-5"/>`)
);
export const shieldOffIcon = draw(
  'shield-off',
  stroke(`<path d="${SHIELD}"/><path d="M4 4l16 16"/>`)
);
export const eyeIcon = draw(
  'eye',
  solid(
    'M12 5C7 5 2.7 8.1 1 12c1.7 3.9 6 7 11 7s9.300-3.100 11-7c-1.700-3.900-6-7-11-7zm0 11.500a4.500 4.500 0 110-9 4.500 4.500 0 010 9zm0-2a2.500 2.500 0 100-5 2.500 2.500 0 000 5z'
  )
);
export const keyboardIcon = draw(
  'keyboard',
  solid(
    'M3 5h18a2 2 0 012 2v10a2 2 0 01-2 2H3a2 2 0 01-2-2V7a2 2 0 012-2zm1 3v2h2V8zm4 0v2h2V8zm4 0v2h2V8zm4 0v2h4V8zM4 12v2h2v-2zm4 0v2h2v-2zm4 0v2h2v-2zm4 0v2h4v-2zm-9 3.500v2h10v-2z'
  ).replace('/>', ' fill-rule="evenodd"/>')
);
export const pauseIcon = draw('pause', solid('M6 5h4v14H6zm8 0h4v14h-4z'));
export const personIcon = draw(
  'person',
  solid('M12 3a4.500 4.500 0 110 9 4.500 4.500 0 010-9zM4 21c0-4.500 3.500-7 8-7s8 2.500 8 7z')
);
export const recordIcon = draw(
  'record',
  '<circle class="jp-Cabinet-icon-record" cx="12" cy="12" r="6" fill="#616161"/>'
);
export const offlineIcon = draw(
  'offline',
  stroke(
    '<path d="M8 18h9a4 4 0 001-7.900A6 6 0 008.500 7M6.500 9.500A4.300 4.300 0 007 18M4 4l16 16"/>'
  )
);
export const skipIcon = draw('skip', solid('M6 6l8.500 6L6 18V6zm10 0h2v12h-2V6z'));
export const questionIcon = draw(
  'question',
  '<g class="jp-Cabinet-icon-waiting-stroke" fill="none" stroke="#616161" stroke-width="2"><circle cx="12" cy="12" r="9"/><path d="M9.300 9.500a2.700 2.700 0 115.200.9c-.6 1.200-2.500 1.500-2.500 3.100"/></g><circle class="jp-Cabinet-icon-waiting" cx="12" cy="16.800" r="1.300" fill="#616161"/>'
);
export const successIcon = draw(
  'success',
  disc('success', 'M10.500 16.500l-4-4 1.500-1.500 2.500 2.500 5.500-5.500 1.500 1.500z')
);
export const errorDiscIcon = draw(
  'error',
  disc(
    'error',
    'M12 13.400l3.100 3.100 1.400-1.400L13.400 12l3.100-3.100-1.400-1.400L12 10.600 8.900 7.500 7.500 8.900 10.600 12l-3.100 3.100 1.400 1.400z'
  )
);
export const warningIcon = draw(
  'warning',
  '<path class="jp-Cabinet-icon-waiting" fill="#616161" fill-rule="evenodd" d="M12 2.500L1 21.500h22zM11 10h2v5h-2zM11 17h2v2h-2z"/>'
);
const STAR =
  'M12 3.500l2.600 5.400 5.900.8-4.300 4.100 1.100 5.900L12 16.900l-5.300 2.800 1.100-5.900L3.500 9.700l5.900-.8z';
export const starIcon = draw('star', stroke(`<path d="${STAR}"/>`));
export const starFilledIcon = draw('star-filled', solid(STAR));
