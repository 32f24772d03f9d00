// information_schema: the process itself, what it runs and what it counts.
import { commit, version } from '../../../../core/index.ts'
import { columns, type InformationTable, type Row, timeText } from './table.ts'

export const serverTables: Readonly<Record<string, InformationTable>> = {
  engines: {
    columns: columns('engine support comment transactions xa savepoints'),
    rows: () => [
      engine('embedded', 'DEFAULT', 'Storage engine for time series, logs and traces'),
      engine('metric', 'YES', 'Many tables over one physical table')
    ]
  },
  weir_engine: {
    columns: columns('engine dialect'),
    rows: ({ store }) => [{ engine: store.engineName, dialect: store.dialect.name }]
  },
  build_info: {
    columns: columns('git_branch git_commit git_commit_short git_clean pkg_version'),
    rows: () => [
      { git_branch: '', git_commit: commit, git_commit_short: commit.slice(0, 8), git_clean: '', pkg_version: version }
    ]
  },
  cluster_info: {
    columns: columns(`peer_id:BIGINT peer_type peer_addr version git_commit start_time:TIMESTAMP_MS uptime active_time
      node_status`),
    rows: ({ startedAt }) => [
      {
        peer_id: 0,
        peer_type: 'STANDALONE',
        peer_addr: '',
        version,
        git_commit: commit,
        start_time: new Date(startedAt).toISOString().slice(0, -1),
        uptime: `${Math.round((Date.now() - startedAt) / 1000)}s`,
        active_time: null,
        node_status: null
      }
    ]
  },
  character_sets: {
    columns: columns('character_set_name default_collate_name description maxlen:BIGINT'),
    rows: () => [
      { character_set_name: 'utf8', default_collate_name: 'utf8_bin', description: 'UTF-8 Unicode', maxlen: 4 }
    ]
  },
  collations: {
    columns: columns('collation_name character_set_name id:BIGINT is_default is_compiled sortlen:BIGINT'),
    rows: () => [
      {
        collation_name: 'utf8_bin',
        character_set_name: 'utf8',
        id: 1,
        is_default: 'Yes',
        is_compiled: 'Yes',
        sortlen: 1
      }
    ]
  },
  collation_character_set_applicability: {
    columns: columns('collation_name character_set_name'),
    rows: () => [{ collation_name: 'utf8_bin', character_set_name: 'utf8' }]
  },
  process_list: {
    columns: columns('id catalog schemas query client frontend start_timestamp:TIMESTAMP_MS elapsed_time:BIGINT'),
    rows: ({ processes }) =>
      processes().map(({ start, elapsed, ...process }) => ({
        ...process,
        start_timestamp: new Date(Number(start)).toISOString().slice(0, -1),
        elapsed_time: Number.parseInt(elapsed, 10)
      }))
  },
  runtime_metrics: {
    columns: columns('metric_name value:DOUBLE labels peer_addr peer_type timestamp:TIMESTAMP_MS'),
    rows: async ({ metrics }) => metricRows(await metrics())
  }
}

function engine(name: string, support: string, comment: string): Row {
  return { engine: name, support, comment, transactions: 'NO', xa: 'NO', savepoints: 'NO' }
}

/** One row a sample of the text exposition format. */
function metricRows(text: string): Row[] {
  const timestamp = timeText(Date.now())
  return text.split('\n').flatMap(line => {
    const sample = /^([^#\s{]+)(?:\{(.*)\})? (\S+)/.exec(line)
    if (sample === null) return []
    const [, name, labels = '', value] = sample
    const number = value!.replace('Inf', 'Infinity')
    return [{ metric_name: name!, value: number, labels, peer_addr: '', peer_type: 'STANDALONE', timestamp }]
  })
}
