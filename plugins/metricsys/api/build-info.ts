// `status/buildinfo`: clients look at the version to know what they may ask.
import { commit, version } from '../../../core/index.ts'

/** The version of the query API these answers follow, not ours. */
const apiVersion = '3.5.0'

export const buildInfo = {
  version: apiVersion,
  revision: commit,
  branch: '',
  buildUser: `weir ${version}`,
  buildDate: '',
  goVersion: ''
}
