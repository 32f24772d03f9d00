// information_schema: partitions and regions. On a single node a table is one of each, with the table's number.
import { mapPaced, type Store, type Table } from '../../../../core/index.ts'
import { engineOf, everyTable } from './catalog.ts'
import { columns, type InformationTable, named, type Row, timeText } from './table.ts'

export const regionTables: Readonly<Record<string, InformationTable>> = {
  partitions: {
    columns: columns(`table_catalog table_schema table_name partition_name partition_ordinal_position:BIGINT
      partition_method partition_expression partition_description table_rows:BIGINT data_length:BIGINT
      create_time:TIMESTAMP_S partition_comment svc_partition_id:UBIGINT`),
    rows: ({ store }, pace) => mapPaced(pace, everyTable(store), table => partitionRow(store, table))
  },
  region_info: {
    columns: columns(
      'region_id:UBIGINT table_id:UINTEGER region_number:UINTEGER table_schema table_name engine region_role'
    ),
    rows: ({ store }, pace) => mapPaced(pace, everyTable(store), regionRow)
  },
  region_peers: {
    columns: columns(`table_catalog table_schema table_name region_id:UBIGINT peer_id:UBIGINT peer_addr is_leader status
      down_seconds:BIGINT`),
    rows: ({ store }, pace) => mapPaced(pace, everyTable(store), peerRow)
  },
  region_statistics: {
    columns: columns(`region_id:UBIGINT table_id:UINTEGER region_number:UINTEGER region_rows:UBIGINT disk_size:UBIGINT
      sst_size:UBIGINT sst_num:UBIGINT engine region_role`),
    rows: ({ store }, pace) => mapPaced(pace, everyTable(store), table => statisticsRow(store, table))
  }
}

function partitionRow(store: Store, table: Table): Row {
  const { rows, bytes } = store.statistics(table)
  return {
    ...named(table),
    partition_name: 'p0',
    partition_ordinal_position: 1,
    table_rows: rows ?? null,
    data_length: bytes,
    create_time: timeText(table.createdAt),
    svc_partition_id: table.id
  }
}

function regionRow(table: Table): Row {
  return {
    region_id: table.id,
    table_id: table.id,
    region_number: 0,
    table_schema: table.database,
    table_name: table.name,
    engine: engineOf(table),
    region_role: 'Leader'
  }
}

function peerRow(table: Table): Row {
  return {
    ...named(table),
    region_id: table.id,
    peer_id: 0,
    peer_addr: '',
    is_leader: 'Yes',
    status: 'ALIVE',
    down_seconds: null
  }
}

function statisticsRow(store: Store, table: Table): Row {
  const { rows, bytes, files } = store.statistics(table)
  const { table_schema: _schema, table_name: _name, ...region } = regionRow(table)
  return { ...region, region_rows: rows ?? null, disk_size: bytes, sst_size: bytes, sst_num: files }
}
