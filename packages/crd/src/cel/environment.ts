import type { Library, Overload } from './declaration.ts'
import { cidr } from './library/cidr.ts'
import { conversions } from './library/conversions.ts'
import { format } from './library/format.ts'
import { ip } from './library/ip.ts'
import { listExtensions } from './library/list-extensions.ts'
import { lists } from './library/lists.ts'
import { operators } from './library/operators.ts'
import { optionals } from './library/optionals.ts'
import { quantity } from './library/quantity.ts'
import { regex } from './library/regex.ts'
import { semver } from './library/semver.ts'
import { sets } from './library/sets.ts'
import { stringFormat } from './library/string-format.ts'
import { strings } from './library/strings.ts'
import { text } from './library/text.ts'
import { time } from './library/time.ts'
import { twoVariables } from './library/two-variables.ts'
import { url } from './library/url.ts'
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listType,
  mapType,
  NULL,
  OPTIONAL_NAME,
  opaqueType,
  STRING,
  type StructFields,
  TIMESTAMP,
  TYPE,
  type Type,
  UINT,
} from './type.ts'

/** What an expression may refer to. */
export interface Environment {
  readonly variables: ReadonlyMap<string, Type>
  readonly fields: StructFields
  readonly functions: ReadonlyMap<string, readonly Overload[]>
  readonly typeNames: ReadonlyMap<string, Type>
}

/**
 * The libraries Kubernetes 1.36 gives to CRD rules, and no others: what is accepted here must be accepted there.
 * The authorizer library is for admission policies only.
 */
export function kubernetesEnvironment(
  variables: ReadonlyMap<string, Type> = new Map(),
  fields: StructFields = new Map(),
): Environment {
  return { variables, fields, functions: FUNCTIONS, typeNames: TYPE_NAMES }
}

const FUNCTIONS = mergeLibraries([
  operators,
  conversions,
  text,
  time,
  optionals,
  strings,
  stringFormat,
  lists,
  listExtensions,
  sets,
  regex,
  url,
  quantity,
  ip,
  cidr,
  format,
  semver,
  twoVariables,
])

const TYPE_NAMES: ReadonlyMap<string, Type> = new Map([
  ['bool', BOOL],
  ['bytes', BYTES],
  ['double', DOUBLE],
  ['int', INT],
  ['list', listType(DYN)],
  ['map', mapType(DYN, DYN)],
  ['null_type', NULL],
  ['string', STRING],
  ['type', TYPE],
  ['uint', UINT],
  ['google.protobuf.Timestamp', TIMESTAMP],
  ['google.protobuf.Duration', DURATION],
  [OPTIONAL_NAME, opaqueType(OPTIONAL_NAME)],
  ['net.IP', opaqueType('net.IP')],
  ['net.CIDR', opaqueType('net.CIDR')],
])

function mergeLibraries(libraries: readonly Library[]): Map<string, Overload[]> {
  const functions = new Map<string, Overload[]>()
  for (const [name, overloads] of libraries.flat()) {
    functions.set(name, [...(functions.get(name) ?? []), ...overloads])
  }
  return functions
}
