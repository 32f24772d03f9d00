// The layout of a table's files.
import type { FormerColumn, Table } from '../../../model/table.ts'
import { isPhysical, mergesFields } from '../../logical.ts'
import { hasSeries } from '../catalog/logical.ts'
import { usualGroup } from '../datafile/row-group.ts'
import { rowsPerGroup } from '../index/index-spec.ts'
import type { FileLayout } from './sorted-file.ts'

interface LayoutOptions extends Pick<FileLayout, 'path' | 'hasOrder' | 'keepDeletes'> {
  /** No row is another version of one. */
  readonly areDistinct: boolean
}

export function fileLayout(
  table: Table,
  columns: readonly FormerColumn[],
  { areDistinct, ...options }: LayoutOptions
): FileLayout {
  const group = rowsPerGroup(table)
  const isMerged = !areDistinct && !table.options.append_mode
  return {
    ...options,
    columns: columns.map(({ physical, type }) => ({ name: physical, type })),
    time: columns.findIndex(({ id }) => id === table.timeIndex.id),
    hasSeries: hasSeries(table),
    hasOwner: isPhysical(table),
    groupRows: group ?? usualGroup,
    numbersGroups: group !== undefined,
    merge: !isMerged ? 'none' : mergesFields(table) ? 'fields' : 'row'
  }
}
