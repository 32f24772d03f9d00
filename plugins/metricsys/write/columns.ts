// Names of tables and columns that metrics are kept under.

export const timeColumn = 'svc_timestamp'
export const valueColumn = 'svc_value'
export const histogramColumn = 'svc_native_histogram'
/** Holds the rows of metrics that ask for no other. */
export const defaultPhysicalTable = 'svc_physical_table'
export const exemplarTable = 'svc_exemplars'
export const metadataTable = 'svc_metric_metadata'
