// Computing that lets others run, as everywhere.
export { eachPaced, mapPaced, Pace, sortPaced } from '../../../core/index.ts'
