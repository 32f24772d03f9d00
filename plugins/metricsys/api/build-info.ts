// `status/buildinfo`: clients choose their requests by this version.
import { commit, version } from '../../../core/index.ts'

/** The Prometheus version whose query API is implemented; not the version of this server. */
const apiVersion = '3.5.0'

export const buildInfo = {
  version: apiVersion,
  revision: commit,
  branch: '',
  buildUser: `weir ${version}`,
  buildDate: '',
  goVersion: ''
}
