// information_schema: tables that other databases fill and tools ask for. Here they have no rows.
import { columns, type InformationTable } from './table.ts'

const described: Readonly<Record<string, string>> = {
  check_constraints: 'constraint_catalog constraint_schema constraint_name check_clause',
  column_privileges: 'grantee table_catalog table_schema table_name column_name privilege_type is_grantable',
  column_statistics: 'schema_name table_name column_name histogram',
  events: 'event_catalog event_schema event_name definer event_definition event_type status',
  files: 'file_id:BIGINT file_name file_type tablespace_name table_catalog table_schema table_name engine',
  global_status: 'variable_name variable_value',
  optimizer_trace: 'query trace missing_bytes_beyond_max_mem_size:BIGINT insufficient_privileges:BIGINT',
  parameters:
    'specific_catalog specific_schema specific_name ordinal_position:BIGINT parameter_mode parameter_name data_type',
  procedure_info: 'procedure_id procedure_type start_time:TIMESTAMP_MS end_time:TIMESTAMP_MS status lock_keys',
  profiling: 'query_id:BIGINT seq:BIGINT state duration:DOUBLE',
  referential_constraints: `constraint_catalog constraint_schema constraint_name unique_constraint_name match_option
    update_rule delete_rule table_name referenced_table_name`,
  routines: 'specific_name routine_catalog routine_schema routine_name routine_type data_type routine_definition',
  schema_privileges: 'grantee table_catalog table_schema privilege_type is_grantable',
  session_status: 'variable_name variable_value',
  table_privileges: 'grantee table_catalog table_schema table_name privilege_type is_grantable',
  triggers: 'trigger_catalog trigger_schema trigger_name event_manipulation event_object_table action_statement'
}

export const emptyTables: Readonly<Record<string, InformationTable>> = Object.fromEntries(
  Object.entries(described).map(([name, words]) => [name, { columns: columns(words), rows: () => [] }])
)
