// Who may do what: users, their permission mode, and the interface of whatever knows them.

/** Reading and writing, only reading, only writing. */
export type PermissionMode = 'rw' | 'ro' | 'wo'

/** Who sends a request, and what he may do. */
export interface User {
  readonly name: string
  /** Of all databases; of a user who is limited to some, all that any of them allows. */
  readonly mode: PermissionMode
  /** The only databases the user may use, and how; absent: all. */
  readonly databases?: ReadonlyMap<string, PermissionMode>
  /** Why this request may not change anything, whatever its user may do. */
  readonly writeRefusal?: string
}

/** What a request offers to prove who it is. */
export type Credentials =
  | { readonly kind: 'password'; readonly user: string; readonly password: string }
  | { readonly kind: 'bearer'; readonly token: string }
  /** The common name of a certificate that the TLS of the server has checked. */
  | { readonly kind: 'certificate'; readonly user: string }

export interface UserProvider {
  readonly name: string
  /** The user, or DbError `UserPasswordMismatch` after the same time whether the name or the password was wrong. */
  authenticate(credentials: Credentials): Promise<User>
  /** Reads again where its users stand; what cannot be used is logged and changes nothing. */
  reload?(): Promise<void>
  close(): Promise<void>
}

/** The user of a server without a provider, and of the process itself. */
export const defaultUser: User = { name: 'svc', mode: 'rw' }
