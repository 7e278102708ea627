import type { Library, Overload } from '../declaration/declaration.ts'
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  metaType,
  nullType,
  opaqueType,
  optionalTypeName,
  type StructFields,
  stringType,
  type Type,
  timestampType,
  uintType,
} from '../type/type.ts'
import type { Value } from '../value/value.ts'
import { authorizer } from './authorizer/authorizer.ts'
import { listExtensions } from './collection/list-extensions.ts'
import { lists } from './collection/lists.ts'
import { sets } from './collection/sets.ts'
import { twoVariables } from './collection/two-variables.ts'
import { format } from './kubernetes/format.ts'
import { quantity } from './kubernetes/quantity.ts'
import { semver } from './kubernetes/semver.ts'
import { cidr } from './network/cidr.ts'
import { ip } from './network/ip.ts'
import { url } from './network/url.ts'
import { conversions } from './standard/conversions.ts'
import { operators } from './standard/operators.ts'
import { optionals } from './standard/optionals.ts'
import { text } from './standard/text.ts'
import { time } from './standard/time.ts'
import { regex } from './string/regex.ts'
import { stringFormat } from './string/string-format.ts'
import { strings } from './string/strings.ts'

/** The variables, functions and types that an expression may refer to. */
export interface Environment {
  readonly variables: ReadonlyMap<string, Type>
  readonly fields: StructFields
  readonly functions: ReadonlyMap<string, readonly Overload[]>
  readonly typeNames: ReadonlyMap<string, Type>
  /** The message type of a name in `name{field: value}`; undefined if there is none. */
  readonly messages?: (name: string) => MessageType | undefined
}

/** A type whose values an expression can construct. */
export interface MessageType {
  readonly type: Type
  /** The type of a field; undefined if the type does not have it. */
  fieldType(name: string): Type | undefined
  create(fields: ReadonlyMap<string, Value>): Value
}

/**
 * The environment with exactly the libraries that Kubernetes 1.36 provides to every expression. The functions of the
 * authorizer library are always declared, but only admission policies have a variable to call them on.
 */
export function kubernetesEnvironment(
  variables: ReadonlyMap<string, Type> = new Map(),
  fields: StructFields = new Map(),
): Environment {
  return { variables, fields, functions: kubernetesFunctions, typeNames: typesByName }
}

const kubernetesFunctions = mergeLibraries([
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
  authorizer,
])

const typesByName: ReadonlyMap<string, Type> = new Map([
  ['bool', boolType],
  ['bytes', bytesType],
  ['double', doubleType],
  ['int', intType],
  ['list', listType(dynType)],
  ['map', mapType(dynType, dynType)],
  ['null_type', nullType],
  ['string', stringType],
  ['type', metaType],
  ['uint', uintType],
  ['google.protobuf.Timestamp', timestampType],
  ['google.protobuf.Duration', durationType],
  [optionalTypeName, opaqueType(optionalTypeName)],
  ['net.IP', opaqueType('net.IP')],
  ['net.CIDR', opaqueType('net.CIDR')],
])

/** Adds a library to the environment. */
export function withLibrary(environment: Environment, library: Library): Environment {
  const functions = new Map(environment.functions)
  for (const [name, overloads] of library) {
    functions.set(name, [...(functions.get(name) ?? []), ...overloads])
  }
  return { ...environment, functions }
}

function mergeLibraries(libraries: readonly Library[]): Map<string, Overload[]> {
  const functions = new Map<string, Overload[]>()
  for (const [name, overloads] of libraries.flat()) {
    functions.set(name, [...(functions.get(name) ?? []), ...overloads])
  }
  return functions
}
