/**
 * The icons that the start needs, and how ours are drawn: a 24-unit box, solid or a 2-unit stroke.
 */
import { LabIcon } from '@jupyterlab/ui-components';

export const draw = (name: string, body: string): LabIcon =>
  new LabIcon({
    name: `cabinet:${name}`,
    svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 24 24">${body}</svg>`
  });

export const solid = (path: string) => `<path class="jp-icon3" fill="#616161" d="${path}"/>`;
export const stroke = (inner: string) =>
  `<g class="jp-icon3-stroke jp-Cabinet-stroke" fill="none" stroke="#616161" stroke-width="2">${inner}</g>`;

export const cabinetIcon = draw(
  'cabinet',
  stroke('<rect x="5" y="3" width="14" height="18" rx="1"/><path d="M5 12h14M10 7.5h4M10 16.5h4"/>')
);
export const agentIcon = draw(
  'agent',
  solid(
    'M11 3h2v3h4a3 3 0 013 3v1h1.5v5H20v1a3 3 0 01-3 3H7a3 3 0 01-3-3v-1H2.5v-5H4V9a3 3 0 013-3h4zM9 10.5a1.5 1.5 0 100 3 1.5 1.5 0 000-3zm6 0a1.5 1.5 0 100 3 1.5 1.5 0 000-3z'
  )
);
/** With somebody beside it, so that it is not mistaken for a terminal of JupyterLab’s own. */
export const terminalIcon = draw(
  'terminal',
  stroke('<path d="M12 19H3V4h18v5M7 8l3 3-3 3"/>') +
    solid('M18 11a3 3 0 110 6 3 3 0 010-6zM12 22c0-3 3-4 6-4s6 1 6 4z')
);
/** A page with a triangle, so that a row is not mistaken for a button. */
export const playIcon = draw(
  'play',
  stroke('<path d="M6 3h8l4 4v14H6z"/>') + solid('M10 10.5v6l5-3z')
);
/** A raised hand: four fingers and a thumb, and the palm. */
export const approvalIcon = draw(
  'approval',
  '<path class="jp-icon3-stroke jp-Cabinet-stroke" fill="none" stroke="#616161" stroke-width="2.5" stroke-linecap="round" d="M8 13V5M12 12V3M16 12V4M20 13V8M8 17L3.5 13"/>' +
    solid('M6.75 12h14.5v3.5c0 4-2.5 6.75-6.25 6.75-2.75 0-4.5-1-6-3L5.5 15.5z')
);
export const diffIcon = draw('diff', solid('M11 3h2v5h5v2h-5v5h-2v-5H6V8h5V3zM6 18h12v2H6v-2z'));
/** Steps that lead to each other. */
export const planIcon = draw('plan', stroke('<path d="M4 4h7v5H4zM13 15h7v5h-7zM7 9v9h6"/>'));
/** An open book. */
export const skillIcon = draw(
  'skill',
  stroke('<path d="M12 6c-2-2-5-2-9-2v14c4 0 7 0 9 2 2-2 5-2 9-2V4c-4 0-7 0-9 2zM12 6v14"/>')
);
export const chatIcon = draw('chat', stroke('<path d="M4 4h16v12h-9l-4 4v-4H4z"/>'));
