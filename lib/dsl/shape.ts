/** A query for logs: its source and stages, without anybody's names or values. */
import type { Query, Stage } from './parse/syntax.ts';

/** `events | where | count, unique by 2 | range`. */
export function queryShape({ source, stages }: Query): string {
  return [source.kind, ...stages.map(stageShape)].join(' | ');
}

function stageShape(stage: Stage): string {
  switch (stage.kind) {
    case 'metrics': {
      const names = stage.metrics.map(({ name }) => name).join(', ');
      return stage.by === null ? names : `${names} by ${stage.by.groups.length}`;
    }
    case 'by':
      return `by ${stage.by.groups.length}`;
    default:
      return stage.kind;
  }
}
