// TypeBox as plugins import it: the server's own copy, so that no plugin has one of another version.
import { Type as builder, type Static as StaticOf, type TSchema } from 'typebox'

/** Builds the schemas of options, parameters and bodies: TypeBox, in the server's version. */
export const Type = builder

/** The type of the values that a schema describes. */
export type Static<T extends TSchema> = StaticOf<T>
