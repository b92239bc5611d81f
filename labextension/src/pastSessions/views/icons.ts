/**
 * The icons of a mark on an entry.
 */
import { draw, solid, stroke } from '../../shared/icons/start';

const BOOKMARK = 'M6 3h12v18l-6-5-6 5z';
export const bookmarkIcon = draw('bookmark', stroke(`<path d="${BOOKMARK}"/>`));
export const bookmarkFilledIcon = draw('bookmark-filled', solid(BOOKMARK));
const NOTE = 'M4 4h16v11l-5 5H4z';
export const noteIcon = draw('note', stroke(`<path d="${NOTE}M8 9h8M8 13h5"/>`));
