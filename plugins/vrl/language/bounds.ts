// Limits without a key: no honest script or text comes near them. docs/limits.md lists them.

/** Levels of expressions in a script, and of arrays and objects in parsed JSON, CBOR, XML, YAML and Ruby hashes. */
export const maxDepth = 128
/** Levels of a JSON schema. */
export const maxSchemaDepth = 64
/** Levels of parentheses in a Datadog query. */
export const maxQueryDepth = 100
/** Levels of grok patterns that name others; what is deeper names itself. */
export const maxGrokDepth = 32
/** UTF-16 units of a regular expression, and of a grok expression with all names replaced. */
export const maxPatternLength = 32_768
/** Elements that a write to an index may add to an array. */
export const maxPadding = 1_000_000
