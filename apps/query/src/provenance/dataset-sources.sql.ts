import { and, bind, join, raw, sourceLinks, sql, type Sql } from '@app/clickhouse';
import type { DatasetSourcesQueryRequest, SourceDatasetsQueryRequest } from '@app/contracts';
import { limitClause, pageOf } from '../paging.js';

/** One page of the links of a dataset, in the order of their creation. */
export function linksOfDataset(request: DatasetSourcesQueryRequest): Sql {
  const { project_id, dataset_object_id, row_digests, source_kinds, include_deleted } = request;
  const ofDataset = sql`dataset_id = ${bind('String', dataset_object_id)}`;
  const among = (column: string, list: readonly string[] | null | undefined) =>
    list ? sql`${raw(column)} IN ${bind('Array(String)', list)}` : undefined;
  const where = and([
    include_deleted ? raw('true') : raw('is_live'),
    among('row', row_digests),
    among('kind', source_kinds),
  ]);
  return sql`SELECT * EXCEPT (creation, addition, removal) FROM (${sourceLinks(project_id, ofDataset)})
WHERE ${where} ORDER BY first_seq, id${limitClause(pageOf(request))}`;
}

/** The rows of each dataset that were made from each source: the first ones, and how many there are. */
export function datasetsOfSources(request: SourceDatasetsQueryRequest, rowsMax: number): Sql {
  const { project_id, sources, include_deleted } = request;
  const ids = bind('Array(String)', [...new Set(sources.map(({ source_id }) => source_id))]);
  // All rows of a link have its id, but only those of an addition have its source.
  const linked = sql`id IN (SELECT id FROM dataset_sources
    WHERE project_id = ${bind('String', project_id)} AND source_id IN ${ids})`;
  const requested = sources.map(({ source_kind, source_id, source_trace_id }) => {
    const source = sql`kind = ${bind('String', source_kind)} AND source = ${bind('String', source_id)}`;
    return source_kind === 'span'
      ? sql`(${source} AND trace = ${bind('String', source_trace_id)})`
      : sql`(${source})`;
  });
  return sql`SELECT kind, source, trace, dataset_id,
  arraySlice(arraySort(groupUniqArray(row)), 1, ${bind('UInt32', rowsMax)}) AS rows, uniqExact(row) AS total,
  min(created_at) AS first_seen
FROM (${sourceLinks(project_id, linked)})
WHERE (${join(requested, ' OR ')})${include_deleted ? raw('') : raw(' AND is_live')}
GROUP BY kind, source, trace, dataset_id ORDER BY first_seen, dataset_id, kind, source, trace`;
}
