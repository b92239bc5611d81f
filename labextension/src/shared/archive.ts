/**
 * A file of this computer as the server takes it: in Base64.
 */

const CHUNK = 0x8000; // bytes at once: a call takes only so many arguments

export async function archiveOf(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = '';
  for (let at = 0; at < bytes.length; at += CHUNK) {
    text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  }
  return btoa(text);
}
