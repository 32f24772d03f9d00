// Functions on points on Earth.
import type { FunctionSpec } from '../function.ts'
import { kinds, objectOf } from '../kind.ts'
import { float } from '../operator.ts'

/** Mean radius of Earth in kilometres. */
const kilometers = 6371.0088
const milesPerKilometer = 0.6213712
const units = ['kilometers', 'miles']

export const geoFunctions: readonly FunctionSpec[] = [
  {
    name: 'haversine',
    summary: 'Distance and bearing from one point to another, given in degrees, on a globe.',
    params: [
      ...['latitude1', 'longitude1', 'latitude2', 'longitude2'].map(name => ({ name, kind: kinds.float })),
      { name: 'measurement_unit', kind: kinds.string, default: 'kilometers', constant: true, oneOf: units }
    ],
    returns: objectOf({ distance: kinds.float, bearing: kinds.float }),
    prepare: call => {
      const radius = kilometers * (call.constant('measurement_unit') === 'miles' ? milesPerKilometer : 1)
      return (...[latitude1, longitude1, latitude2, longitude2]: number[]) => {
        const from = { latitude: radians(latitude1!), longitude: radians(longitude1!) }
        const to = { latitude: radians(latitude2!), longitude: radians(longitude2!) }
        return new Map([
          ['distance', rounded(radius * angle(from, to), 7)],
          ['bearing', rounded(bearing(from, to), 3)]
        ])
      }
    },
    examples: [
      {
        title: 'In kilometers',
        source: 'haversine(52.52, 13.405, 48.8566, 2.3522)',
        result: '{"bearing":246.743,"distance":877.4645379}'
      }
    ]
  }
]

interface Point {
  readonly latitude: number
  readonly longitude: number
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180
}

function rounded(value: number, digits: number): number {
  const factor = 10 ** digits
  return float(Math.round(value * factor) / factor)
}

/** Between two points seen from the centre, in radians. */
function angle(from: Point, to: Point): number {
  const north = Math.sin((to.latitude - from.latitude) / 2) ** 2
  const east = Math.sin((to.longitude - from.longitude) / 2) ** 2
  return 2 * Math.asin(Math.min(1, Math.sqrt(north + Math.cos(from.latitude) * Math.cos(to.latitude) * east)))
}

/** In degrees, clockwise from north. */
function bearing(from: Point, to: Point): number {
  const turn = to.longitude - from.longitude
  const east = Math.sin(turn) * Math.cos(to.latitude)
  const north =
    Math.cos(from.latitude) * Math.sin(to.latitude) - Math.sin(from.latitude) * Math.cos(to.latitude) * Math.cos(turn)
  return ((Math.atan2(east, north) * 180) / Math.PI + 360) % 360
}
