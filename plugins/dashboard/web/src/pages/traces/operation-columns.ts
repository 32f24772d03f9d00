// Columns of tables whose rows are operations of services.

/** After service and operation counts, then times in milliseconds. */
export function operationColumns(counts: readonly string[], times: readonly string[]) {
  return [
    ...['service', 'operation'].map(name => ({ name, type: 'String', note: '' })),
    ...counts.map(name => ({ name, type: 'Int64', note: '' })),
    ...times.map(name => ({ name, type: 'Float64', note: 'ms' }))
  ]
}
