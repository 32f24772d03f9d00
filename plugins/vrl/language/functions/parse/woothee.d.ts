// What we use of a library that brings no types.
declare module 'woothee' {
  interface Agent {
    readonly name?: string
    readonly version?: string
    readonly os?: string
    readonly os_version?: string
    readonly category?: string
  }
  const woothee: { parse(userAgent: string): Agent }
  export default woothee
}
