// Users, their permission modes, and the interface of user providers.

/** Read and write, read only, or write only. */
export type PermissionMode = 'rw' | 'ro' | 'wo'

/** Who sends a request, and what he may do. */
export interface User {
  readonly name: string
  /** Mode in all databases. For a user limited to some: the union of his modes there. */
  readonly mode: PermissionMode
  /** Mode per database, for a user who may use only these; absent: all databases. */
  readonly databases?: ReadonlyMap<string, PermissionMode>
  /** Why this request may not change anything, whatever its user's mode; absent: it may. */
  readonly writeRefusal?: string
}

/** The proof of identity that a request carries. */
export type Credentials =
  | { readonly kind: 'password'; readonly user: string; readonly password: string }
  | { readonly kind: 'bearer'; readonly token: string }
  /** The common name of a client certificate that TLS has verified. */
  | { readonly kind: 'certificate'; readonly user: string }

export interface UserProvider {
  readonly name: string
  /** The user of the credentials. Rejects with DbError `UserPasswordMismatch`, after the same time whether name or password was wrong. */
  authenticate(credentials: Credentials): Promise<User>
  /** Reads the users again; unusable sources are logged and change nothing. */
  reload?(): Promise<void>
  close(): Promise<void>
}

/** The user of requests if no provider is configured, and of the process itself. */
export const defaultUser: User = { name: 'svc', mode: 'rw' }
