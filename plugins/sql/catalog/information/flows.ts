// information_schema: flows.
import { catalogName, fullName } from '../name.ts'
import { columns, type InformationTable, timeText } from './table.ts'

const millisecondsPerSecond = 1_000

export const flowsTable: InformationTable = {
  columns: columns(
    `flow_name flow_id:UINTEGER table_catalog flow_definition comment expire_after:BIGINT sink_table_name table_schema
    created_time:TIMESTAMP_S`
  ),
  rows: ({ store, flows }) =>
    store
      .databases()
      .flatMap(({ name }) => flows(name))
      .map(flow => ({
        flow_name: flow.name,
        flow_id: null,
        table_catalog: catalogName,
        table_schema: flow.database,
        flow_definition: flow.text,
        comment: flow.comment ?? null,
        expire_after: flow.expireAfter === undefined ? null : Math.floor(flow.expireAfter / millisecondsPerSecond),
        sink_table_name: fullName(flow.sink.database, flow.sink.table),
        created_time: timeText(flow.createdAt)
      }))
}
