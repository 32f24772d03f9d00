// Field numbers of the messages every signal has.

/** Export…ServiceRequest, Resource…, Scope…: the same numbers in metrics, traces and logs. */
export const request = { resources: 1 } as const
export const resourceEntry = { resource: 1, scopes: 2, schemaUrl: 3 } as const
export const scopeEntry = { scope: 1, items: 2, schemaUrl: 3 } as const
export const resource = { attributes: 1 } as const
export const scope = { name: 1, version: 2, attributes: 3 } as const
export const keyValue = { key: 1, value: 2 } as const
/** The kinds of an AnyValue. */
export const anyValue = { none: 0, text: 1, bool: 2, int: 3, double: 4, array: 5, map: 6, bytes: 7 } as const
