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
    'M11 3h2v3h4a3 3 0 013 3v1h1.500v5H20v1a3 3 0 01-3 3H7a3 3 0 01-3-3v-1H2.500v-5H4V9a3 3 0 013-3h4zM9 10.500a1.500 1.500 0 100 3 1.500 1.500 0 000-3zm6 0a1.500 1.500 0 100 3 1.500 1.500 0 000-3z'
  )
);
export const terminalIcon = draw(
  'terminal',
  stroke('<rect x="3" y="4" width="18" height="16" rx="1"/><path d="M7 9l3 3-3 3M12.500 15H17"/>')
);
export const approvalIcon = draw(
  'approval',
  stroke(
    '<circle cx="12" cy="12" r="9"/><path d="M9.300 9.500a2.700 2.700 0 115.200.9c-.6 1.200-2.500 1.500-2.500 3.100M12 15.800v2"/>'
  )
);
