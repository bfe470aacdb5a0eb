/** `path` of this service as browsers see it: below the path of its public address, if that has one. */
export function localPath(publicUrl: string, path: string): string {
  return new URL(publicUrl).pathname.replace(/\/$/, '') + path;
}
