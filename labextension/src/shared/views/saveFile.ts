/**
 * Gives a person a file to keep, as the browser saves downloads.
 */

/** Nothing happens without a file. */
export function saveFile(file: Blob | null, name: string): void {
  if (file !== null) {
    const url = URL.createObjectURL(file);
    const link = document.createElement('a');
    link.href = url;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url));
  }
}
