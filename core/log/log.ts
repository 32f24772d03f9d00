// The one way to log: pino, a child per server, plugin and request.
import type { Logger as Pino } from 'pino'

export type Logger = Pick<Pino, 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'child' | 'level'>
