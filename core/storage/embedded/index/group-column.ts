/** The hidden column that numbers the row groups of a file: DuckDB skips groups by its statistics, and no reader can name them otherwise. */
export const groupColumn = '__group'
