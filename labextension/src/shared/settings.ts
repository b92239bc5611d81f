/**
 * Where Cabinet's settings stand: all of them in one schema, so that they are one entry in the settings editor.
 */
export const SETTINGS = 'jupyter-cabinet:plugin';
