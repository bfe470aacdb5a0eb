/** The writer, of `partitions`, that a project belongs to. */
export function partitionOf(project: string, partitions: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < project.length; i++) hash = Math.imul(hash ^ project.charCodeAt(i), 0x01000193);
  return (hash >>> 0) % partitions;
}
