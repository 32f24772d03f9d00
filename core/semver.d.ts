declare module 'semver/functions/satisfies.js' {
  /** Whether a version is in a range of npm; false where either is none. */
  export default function satisfies(
    version: string,
    range: string,
    options?: { readonly includePrerelease?: boolean }
  ): boolean
}
